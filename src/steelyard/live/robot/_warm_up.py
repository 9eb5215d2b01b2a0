"""Compiles all that an agent runs before the first sample comes."""

from steelyard.live.robot._team_file import TeamPlan
from steelyard.live.robot._tuning import TUNING
from steelyard.team import Bus, Graph, run_team


def warm_up(plan: TeamPlan) -> None:
    """Two robots estimate a made-up load in this process."""
    rate = TUNING.warm_up_rate
    plan.task.prepare(len(plan.graph.names))
    graph = Graph.line(["a", "b"])
    rows = plan.task.warm_up_samples(rate)
    samples = {
        name: [plan.task.sample(k / rate, values) for k, values in enumerate(own)]
        for name, own in zip(graph.names, rows, strict=True)
    }
    run_team(plan.task.agents(graph, rate), samples, Bus(graph))
