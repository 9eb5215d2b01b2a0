"""What a robot of a team works out for itself, as pure steps; what it hears and tells stays outside."""

import jax.numpy as jnp
import numpy as np

from steelyard.config import Config
from steelyard.errors import BadInput
from steelyard.logs import Log
from steelyard.problems._exportable import ExportableStep, chosen_method, demanded
from steelyard.problems.planar_load._observer import CenterObservation, CenterSample, ObservedCenter
from steelyard.problems.planar_load._reading import read_planar_record
from steelyard.problems.spatial_load._reading import read_spatial_record
from steelyard.team import Bus, planar_load_team, row_steps, run_team, spatial_team, window_steps

ROWS = 128
"""Of sums, that the planar step holds."""
_SPATIAL = 1.5  # s of rows that the spatial step is linearised by


def planar_step(method: str | None, log: Log | None, config: Config) -> ExportableStep:
    """A robot's fit to its team's sums, or the papers' observer."""
    if chosen_method(method, "consensus", ["consensus", "observer"], "planar-load") == "observer":
        return _observer()
    push = read_planar_record(demanded(log, "planar-load").without_truth(), config)
    agents = planar_load_team(push.graph, push.rate, push.velocity_noise, friction=push.friction)
    agent = agents[0]
    enough = round((ROWS + 24) * agent.per_row)  # the last sums are still on their way
    samples = {name: own[:enough] for name, own in push.samples().items()}
    state = run_team(agents, samples, Bus(push.graph)).states[agent.name]
    stretch = state.stretch()
    if stretch is None or state.fit is None:
        raise BadInput(f"The first {enough} rows of {push.graph.names[0]}'s team tell no load; give a livelier log.")
    version, start, end = stretch
    window = agent.window(state, version, start, min(end, start + ROWS - 1))
    step, belief, rows = window_steps(window, state.fit.unknowns, ROWS)
    about = f"A planar team's fit to {ROWS} rows of its sums, without the messages that bring them about"
    return ExportableStep(step.step, belief, rows, about)


def spatial_step(method: str | None, log: Log | None, config: Config) -> ExportableStep:
    """What a row of everybody's samples tells a robot in space."""
    chosen_method(method, "consensus", ["consensus"], "spatial-load")
    hold = read_spatial_record(demanded(log, "spatial-load").without_truth(), config)
    agents = spatial_team(hold.graph, hold.rate, hold.noise, hold.gravity, "step" if hold.held else "sample")
    record = agents[0].init().mind.record
    for time, row in zip(hold.time[: round(_SPATIAL * hold.rate)], hold.readings, strict=False):
        record.append(float(time), row)
    step, belief, rows = row_steps(record, float(np.linalg.norm(hold.gravity)))
    robots = len(hold.graph.names)
    about = f"What a row of {robots} robots' samples tells of a load in space, without the messages that bring it about"
    return ExportableStep(step.step, belief, rows, about)


def _observer() -> ExportableStep:
    time = np.arange(64) * 0.01
    omega = 0.3 + 0.2 * np.sin(3.0 * time)
    samples = CenterSample(
        np.full(64, 0.01), omega, np.stack([np.cos(time), np.sin(2.0 * time)], axis=1), 0.1 * np.cos(time)
    )
    start = ObservedCenter(jnp.zeros(2), jnp.asarray(omega[0]), jnp.asarray(omega[0]))
    return ExportableStep(CenterObservation().step, start, samples, "The observer of a planar load's centre of mass")
