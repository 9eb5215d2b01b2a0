"""What a planar robot makes of its inbox: links, flows, votes, and with them z_i and ω."""

import cmath
import functools
import math

import msgspec
import numpy as np

from steelyard.papers.planar.robots._complex_vectors import turned
from steelyard.papers.planar.robots._link import Link, link_step
from steelyard.papers.planar.robots._procedure import N_CHANNELS, Channel, PaperMessage, PaperState, Procedure, Stage
from steelyard.team.consensus._flow import next_flow

Z, FORCE, TORQUE = (slice(channel, channel + 2) for channel in (Channel.Z, Channel.FORCE, Channel.TORQUE))


def own_velocity(velocity: tuple[float, float]) -> complex | None:
    """A measured velocity, or None where it is no number."""
    v = complex(*velocity)
    return v if abs(v) < float("inf") else None


def is_sound(message: object) -> bool:
    """Whether a message can be used: of this kind, of the right length, numbers all finite, a stage that exists.

    A malformed message must not stop a robot; it counts as lost.
    """
    if not isinstance(message, PaperMessage):
        return False
    received, velocity = message.flow, message.velocity or (0.0, 0.0)
    numbers = (*received.values, *received.flows, *velocity, message.time)
    return (
        len(received.values) == len(received.flows) == N_CHANNELS
        and math.isfinite(sum(numbers))
        and received.degree >= 0
        and Stage.SPIN <= message.stage <= Stage.HALT
    )


def hear_neighbours(
    state: PaperState, inbox: tuple[PaperMessage, ...], neighbours: tuple[str, ...], key: int, procedure: Procedure
) -> PaperState:
    """Links and flows after the newest message of each neighbour.

    Velocities are paired by their time: a message is taken with what this robot measured at the same sample. What was
    reported of positions is first turned to the sample before `key`, then all are carried on to it: on a load that
    turns, averaging without that would lag behind by the angle it turns in the time the averaging takes.
    """
    newest: dict[str, PaperMessage] = {}
    for message in inbox:
        last = newest[message.sender].time if message.sender in newest else -1.0
        if message.sender in neighbours and message.time > last:
            newest[message.sender] = message
    omega, dt = state.omega or 0.0, 1.0 / procedure.rate
    zeros = np.zeros(N_CHANNELS)
    values = zeros if state.values is None else state.values
    links, flows, heard = dict(state.links), dict(state.flows), dict(state.heard)
    for name, message in newest.items():
        at = round(message.time * procedure.rate)
        if at <= heard.get(name, -1):
            continue
        heard[name] = at
        link = links.get(name, Link())
        if message.velocity is not None and at in state.velocities:
            zdot = state.velocities[at] - complex(*message.velocity)
            step = dt * (at - link.key) if link.key >= 0 else dt
            link = link_step(link, zdot, at, step, procedure.link, state.stage == Stage.SPIN)
            links[name] = link
        late = key - 1 - at
        received = message.flow
        if late and omega:
            received = msgspec.structs.replace(
                received,
                values=_turned(received.values, omega * late * dt),
                flows=_turned(received.flows, omega * late * dt),
            )
        offset, gain = zeros, _gains(procedure.centroid_gain)
        if link.z is not None and link.key == at:
            z_ij = turned(link.z, omega * late * dt)
            offset = zeros.copy()
            offset[Z] = z_ij.real, z_ij.imag
        else:
            gain = _gains(0.0)
        flows[name] = next_flow(flows.get(name, zeros), values, received, len(neighbours), offset, gain)
    return msgspec.structs.replace(state, links=links, flows=flows, heard=heard)


@functools.lru_cache
def _gains(centroid_gain: float) -> np.ndarray:
    gain = np.ones(N_CHANNELS)
    gain[Z] = centroid_gain
    return gain


def _turned(values: tuple[float, ...], angle: float) -> tuple[float, ...]:
    return tuple(_carried(np.array(values), angle).tolist())


def averages(state: PaperState, procedure: Procedure) -> PaperState:
    """ω of this robot's own links, its inputs to the averages, and the averages after this round."""
    dt = 1.0 / procedure.rate
    measured = [link.omega for link in state.links.values() if link.omega is not None and link.key >= state.key - 1]
    own_omega = sum(measured) / len(measured) if measured else (state.omega or 0.0)
    carried = {name: _carried(flow, own_omega * dt) for name, flow in state.flows.items()}
    total = sum(carried.values(), np.zeros(N_CHANNELS))
    z_i = -complex(total[0], total[1])
    force = state.forces[1]
    own = np.zeros(N_CHANNELS)
    own[Channel.OMEGA] = own_omega
    own[Channel.ARM] = abs(z_i) ** 2
    own[Channel.INERTIA] = 1.0 / gradient if (gradient := state.inertia_fit.gradient) > 0.0 else 0.0
    own[Channel.MASS] = 1.0 / gradient if (gradient := state.mass_fit.gradient) > 0.0 else 0.0
    own[FORCE] = force.real, force.imag
    mean_force = force - complex(total[Channel.FORCE], total[Channel.FORCE + 1])
    # Δf_i = f_i − f_mean as in [icra15, Eq. (19)]; its Sec. V-B prints f̄ there. Half a sample back, where f_i acted.
    torque = turned(z_i, -1.5 * own_omega * dt).conjugate() * (force - mean_force)
    own[TORQUE] = torque.real, torque.imag
    values = own - total
    values[Z] = z_i.real, z_i.imag
    seen = bool(measured) or state.omega is not None
    omega = float(values[Channel.OMEGA]) if procedure.share else own_omega
    own_omegas, variance = (*state.own_omegas[-2:], own_omega), state.omega_variance
    if len(own_omegas) == 3:  # white noise shows six times over in second differences, a smooth spin does not
        bend = own_omegas[0] - 2.0 * own_omegas[1] + own_omegas[2]
        variance += 0.02 * (bend * bend / 6.0 - variance)
    return msgspec.structs.replace(
        state,
        flows=carried,
        own=own,
        values=values,
        omega_before=state.omega,
        omega=omega if seen else None,
        own_omegas=own_omegas if measured else (),
        omega_variance=variance,
    )


def _carried(flow: np.ndarray, angle: float) -> np.ndarray:
    """Values or flows as the load turns by an angle (rad): without it averages of what turns would lag behind."""
    x, y, *rest, a, b = flow.tolist()  # Z comes first and TORQUE last; numbers are quicker than slices
    turn = cmath.exp(1j * angle)
    z, torque = complex(x, y) * turn, complex(a, b) * turn.conjugate()
    return np.array([z.real, z.imag, *rest, torque.real, torque.imag])
