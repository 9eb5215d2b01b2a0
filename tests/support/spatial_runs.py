"""Holds through teams, importable so that they can run in earnest."""

import numpy as np

from steelyard.models import WRIST_SIGNALS
from steelyard.team import Bus, Disturbance, Graph, SpatialSample, run_team, spatial_load_team
from steelyard.worlds import SpatialScenario, errors_of, spatial_truth


def recorded(hold: SpatialScenario, seed: int) -> tuple:
    """The truth, and every robot's samples."""
    truth = spatial_truth(hold, seed)
    raw = np.concatenate([truth.readings, truth.wrenches], axis=-1)
    raw = raw + np.concatenate(list(errors_of(hold, len(raw), seed)), axis=-1)
    samples = {
        f"r{i + 1}": [
            SpatialSample(float(t), *(tuple(row[i, 3 * k : 3 * k + 3].tolist()) for k in range(5)))
            for t, row in zip(truth.time, raw, strict=True)
        ]
        for i in range(hold.robots)
    }
    return truth, samples


def team_of(hold: SpatialScenario, graph: Graph) -> list:
    """Agents that were told the true noise."""
    return spatial_load_team(graph, hold.rate, dict(zip(WRIST_SIGNALS, hold.noises, strict=True)))


def weighed(hold: SpatialScenario, seed: int, graph: Graph, radio: Disturbance | None = None) -> tuple:
    """The truth, what every robot says last, and who told of which event when (s)."""
    truth, samples = recorded(hold, seed)
    events = []
    samples = {name: [*own, *[None] * 130] for name, own in samples.items()}
    run = run_team(
        team_of(hold, graph),
        samples,
        Bus(graph, radio),
        watch=lambda k, name, turn: events.extend((k / hold.rate, name, event) for event in turn.events),
    )
    return truth, {name: run.last(name) for name in graph.names}, events, run.estimates


def errors_at_the_end(hold: SpatialScenario, seed: int) -> list[dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]]:
    """By robot and quantity: error, standard deviation and its Cramér-Rao bound; each raveled."""
    from steelyard.planning import spatial_bound

    truth, last, _, _ = weighed(hold, seed, Graph.ring([f"r{i + 1}" for i in range(hold.robots)]))
    bounds, found = spatial_bound(truth, hold.noises, len(truth.time) - 1), []
    for i, (said, bound) in enumerate(zip(last.values(), bounds, strict=True)):
        true = {"mass": truth.mass[-1], "com": truth.com[-1, i], "inertia": truth.inertia[-1, i]}
        found.append(
            {
                what: (
                    np.ravel(said[what].value - true[what]),
                    np.ravel(said[what].std),
                    np.ravel(getattr(bound, what)),
                )
                for what in true
            }
        )
    return found
