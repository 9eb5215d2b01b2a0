"""Everything that an agent compiles, compiled before it counts."""

from steelyard.live.robot._team_file import TeamPlan
from steelyard.team import Bus, Graph, run_team

_RATE = 25.0
"""Hz; the same programs as at any rate, in fewer steps."""


def rehearse(plan: TeamPlan) -> None:
    """Two robots weigh a made-up load in this process."""
    plan.task.prepare(len(plan.graph.names))
    graph = Graph.line(["a", "b"])
    rows = plan.task.rehearsal(_RATE)
    samples = {
        name: [plan.task.sample(k / _RATE, values) for k, values in enumerate(own)]
        for name, own in zip(graph.names, rows, strict=True)
    }
    run_team(plan.task.agents(graph, _RATE), samples, Bus(graph))
