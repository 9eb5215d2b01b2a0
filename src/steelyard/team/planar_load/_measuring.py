"""A robot's own samples: rows of them, short gaps filled, each row's part of the team's sums."""

import math
from typing import TYPE_CHECKING

import numpy as np

from steelyard.team.planar_load._contributions import skip_until
from steelyard.team.planar_load._outer_iterations import begin_iteration, place_newcomer
from steelyard.team.planar_load._sample import PlanarSample
from steelyard.team.planar_load._state import PlanarAgentState, iteration_at
from steelyard.team.planar_load._sum_keys import occasion_number, row_key
from steelyard.team.planar_load._tuning import TUNING
from steelyard.team.planar_load._window import LONGEST

if TYPE_CHECKING:
    from steelyard.team.planar_load._agent import PlanarLoadAgent


def measure(agent: "PlanarLoadAgent", state: PlanarAgentState, sample: PlanarSample | None) -> None:
    """Takes the sample, and adds the row that it completes."""
    own = state.samples
    own.without_sample, own.without_any = own.without_sample + 1, own.without_any + 1
    if sample is None or not math.isfinite(sample.time):
        return
    own.without_any = 0
    own.time = sample.time
    key = round(sample.time * agent.rate)
    v, f = (x if math.isfinite(abs(x)) else None for x in (complex(*sample.velocity), complex(*sample.force)))
    if f is None and key - own.last_key <= agent.longest_gap and own.last_force is not None:
        own.unforced[key] = v
        return
    if v is not None and f is not None:
        own.without_sample = 0
    _fill(agent, state, key, f)
    _take(agent, state, key, v, f)


def _fill(agent: "PlanarLoadAgent", state: PlanarAgentState, key: int, force: complex | None) -> None:
    """Samples before one that were lost, or whose force was: forces vary smoothly, over a short gap."""
    own = state.samples
    velocities, own.unforced = own.unforced, {}
    last, before = own.last_force, own.last_key
    if force is not None and last is not None and 1 < key - before <= agent.longest_gap + 1:
        for lost in range(before + 1, key):
            share = 1.0 if agent.hold == "step" else (lost - before) / (key - before)
            _take(agent, state, lost, velocities.get(lost), last + share * (force - last))
    else:
        for lost, velocity in velocities.items():
            _take(agent, state, lost, velocity, None)


def _take(
    agent: "PlanarLoadAgent", state: PlanarAgentState, key: int, velocity: complex | None, force: complex | None
) -> None:
    """One sample, or what stands for a lost one, in its order; the last of a row completes it."""
    own, acted = state.samples, force
    if force is not None:
        if agent.hold == "sample" and own.last_force is not None:
            acted = 0.5 * (force + own.last_force)
        own.last_key = key
    own.last_force = force
    row, part = divmod(key - 1, agent.per_row)
    if row != own.pending_row:
        own.pending, own.pending_row = [], row
    if velocity is not None:
        own.recent[key] = velocity
        for old in [old for old in own.recent if old < key - agent.longest_gap]:
            del own.recent[old]
    own.pending.append((velocity, acted))
    if part == agent.per_row - 1 and key >= 1:
        _add_row(agent, state, row)


def _add_row(agent: "PlanarLoadAgent", state: PlanarAgentState, row: int) -> None:
    velocities = [v for v, _ in state.samples.pending if v is not None]
    forces = [f for _, f in state.samples.pending if f is not None]
    before, state.row, state.samples.pending = state.row, row, []
    v, f = (sum(values) / len(values) if values else None for values in (velocities, forces))
    if v is not None and len(velocities) < agent.per_row:
        v -= _late(agent, state, row)
    if f is not None and state.contacts.own.first < 0:  # a robot that has just come did not push before
        f = sum(forces) / agent.per_row
    if agent.real_time and v is not None and len(velocities) == agent.per_row:
        state.heard.relay.measure(row, v)
    if not state.contacts.relays:
        state.contacts.own.add_row(row, v, f, len(velocities) / agent.per_row)
    due = iteration_at(row)
    if state.steps.iteration < 0:
        state.steps.iteration = due
        state.contacts.own.positions = dict.fromkeys(range(due - TUNING.iterations_stored + 1, due + 1))
        skip_until(state, occasion_number(row))
    made = {*sorted(state.contacts.own.positions)[-2:], state.window.fit_iteration} & set(state.contacts.own.positions)
    if state.contacts.own.newest_position is None:  # a newcomer counts in the others' iterations too
        made |= {max(received) for received in state.heard.positions.values() if received}
    for iteration in made:  # rows that the robot has missed too, so that nobody waits for them
        for added in range(max(before + 1, row - LONGEST) if before >= 0 else row, row + 1):
            state.sums.tree.add(row_key(added, iteration), state.contacts.part_of(added, iteration))
    place_newcomer(agent, state)
    if due > state.steps.iteration:
        state.steps.iteration = due
        begin_iteration(agent, state)
        state.forget()


def _late(agent: "PlanarLoadAgent", state: PlanarAgentState, row: int) -> complex:
    """By how much the mean velocity of a row's samples that came exceeds that of all: they are of other times."""
    keys = np.array(list(state.samples.recent), float)
    there = keys[(keys > row * agent.per_row) & (keys <= (row + 1) * agent.per_row)]
    away = keys - keys.mean()
    if len(keys) < 4 or not len(there):
        return 0j
    gradient = complex(away @ np.array(list(state.samples.recent.values())) / (away @ away))
    return gradient * (float(there.mean()) - row * agent.per_row - 0.5 * (agent.per_row + 1))
