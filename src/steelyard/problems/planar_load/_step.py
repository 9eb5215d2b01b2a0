"""What a robot of a planar team computes by itself, as a pure step; its messages are not part of it."""

import jax.numpy as jnp
import numpy as np

from steelyard.config import Config
from steelyard.errors import BadInput
from steelyard.logs import Log
from steelyard.problems._exportable import ExportableStep, chosen_method, required_log
from steelyard.problems.planar_load._observer import CenterObservation, CenterSample, ObservedCenter
from steelyard.problems.planar_load._reading import read_planar_record
from steelyard.problems.planar_load._tuning import TUNING
from steelyard.team import Bus, planar_load_team, run_team, window_steps


def planar_load_step(method: str | None, log: Log | None, config: Config) -> ExportableStep:
    """A robot's fit to its team's sums, or the papers' observer of the centre of mass."""
    if chosen_method(method, "consensus", ["consensus", "observer"], "planar-load") == "observer":
        return _observer()
    record = read_planar_record(required_log(log, "planar-load").without_truth(), config)
    agents = planar_load_team(record.graph, record.rate, record.velocity_noise, friction=record.friction)
    agent = agents[0]
    enough = round((TUNING.exported_rows + TUNING.rows_on_the_way) * agent.per_row)
    samples = {name: own[:enough] for name, own in record.samples().items()}
    state = run_team(agents, samples, Bus(record.graph)).states[agent.name]
    span = state.complete_span()
    if span is None or state.window.fit is None:
        raise BadInput(f"The first {enough} rows of {record.graph.names[0]}'s team tell no load; give a livelier log.")
    window = agent.window(state, span._replace(end=min(span.end, span.start + TUNING.exported_rows - 1)))
    step, belief, rows = window_steps(window, state.window.fit.unknowns, TUNING.exported_rows)
    about = (
        f"A planar team's fit to {TUNING.exported_rows} rows of its sums, without the messages that bring them about"
    )
    return ExportableStep(step.step, belief, rows, about)


def _observer() -> ExportableStep:
    """The observer with samples of a made-up motion: 0.64 s at 100 Hz, all inputs smooth."""
    time = np.arange(64) * 0.01
    omega = 0.3 + 0.2 * np.sin(3.0 * time)
    samples = CenterSample(
        np.full(64, 0.01), omega, np.stack([np.cos(time), np.sin(2.0 * time)], axis=1), 0.1 * np.cos(time)
    )
    start = ObservedCenter(jnp.zeros(2), jnp.asarray(omega[0]), jnp.asarray(omega[0]))
    return ExportableStep(CenterObservation().step, start, samples, "The observer of a planar load's centre of mass")
