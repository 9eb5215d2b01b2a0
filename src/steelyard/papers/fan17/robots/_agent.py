"""A robot of the spatial paper: one step is its procedure, read from top to bottom."""

import math
from collections.abc import Mapping

import jax.numpy as jnp
import msgspec
import numpy as np

from steelyard.errors import BadInput
from steelyard.papers.fan17.robots._acceleration import alpha_weights, angular_acceleration
from steelyard.papers.fan17.robots._frames import Neighbour, move_load, neighbour_from_pose
from steelyard.papers.fan17.robots._least_squares import identify
from steelyard.papers.fan17.robots._mixing import Rows, hear_rows
from steelyard.papers.fan17.robots._pose import PoseSums, fit_pose
from steelyard.papers.fan17.robots._procedure import ROW, Fan17Message, Fan17Procedure, Fan17State
from steelyard.papers.fan17.robots._report import report
from steelyard.team._agent import Agent, Message, Turn
from steelyard.team.membership._graph import metropolis_weight
from steelyard.team.spatial_load._agent import SpatialSample


class Fan17Agent(Agent):
    """Measures twist, specific force and wrench in its own frame and hears its neighbours; made by `fan17_team`."""

    def __init__(self, name: str, neighbours: tuple[str, ...], procedure: Fan17Procedure):
        if not neighbours:
            raise BadInput(f'Robot "{name}" has no neighbour, and the paper finds α from pairs of robots; add a link.')
        self.name = name
        self.neighbours = neighbours
        self.procedure = procedure
        self._decoder = msgspec.msgpack.Decoder(Fan17Message)

    def init(self) -> Fan17State:
        """Nothing is known but who the neighbours are."""
        return Fan17State(
            rows=Rows.none(ROW, len(self.neighbours)),
            heard=dict.fromkeys(self.neighbours, -1),
            sums=dict.fromkeys(self.neighbours, PoseSums.nothing()),
        )

    def step(self, state: Fan17State, sample: SpatialSample | None, inbox: tuple[Message, ...]) -> Turn:
        """One sample: receive, find poses, then the total wrench, then the load, and send."""
        procedure = self.procedure
        messages = self._fresh(state, inbox)
        state = self._remember(state, sample)
        state = self._hear(state, messages)
        if state.neighbours is None and state.time >= procedure.settle:
            state = self._settle(state)
        if state.neighbours is not None:
            state = self._begin_rows(state)
            state = self._mix_rows(state, messages)
            state = self._mix_loads(state)
            state = self._estimate_load(state)
        if state.key >= 0 and state.key % procedure.report_every == 0:
            state = _with(state, estimates=report(state, self.name, procedure))
        outbox = self._outbox(state)
        return Turn(_with(state, sequence=state.sequence + 1), outbox, state.estimates)

    def decode(self, data: bytes) -> Fan17Message:
        """A message of another such robot from its bytes."""
        return self._decoder.decode(data)

    def _fresh(self, state: Fan17State, inbox: tuple[Message, ...]) -> list[Fan17Message]:
        """Sound messages of neighbours that have not been heard, in their order."""
        messages = [m for m in inbox if isinstance(m, Fan17Message) and m.sender in self.neighbours and _is_sound(m)]
        fresh = {(m.sender, m.sequence): m for m in messages if m.sequence > state.heard[m.sender]}
        return sorted(fresh.values(), key=lambda m: (m.sequence, m.sender))

    def _remember(self, state: Fan17State, sample: SpatialSample | None) -> Fan17State:
        """The own sample, stored until its row is done."""
        if sample is None:
            return state
        key = round(sample.time * self.procedure.rate)
        samples, readings = dict(state.samples), dict(state.readings)
        values = np.array([*sample.angular, *sample.linear, *sample.specific_force, *sample.torque, *sample.force])
        if np.isfinite(values).all():
            samples[key] = values
        for buffer in (samples, readings):
            while buffer and next(iter(buffer)) < key - 4 * self.procedure.rounds - 8:
                del buffer[next(iter(buffer))]
        return _with(state, key=key, time=float(sample.time), samples=samples, readings=readings)

    def _hear(self, state: Fan17State, messages: list[Fan17Message]) -> Fan17State:
        """Twists go into the sums of poses, specific forces wait for their row, loads replace older ones."""
        heard, sums, loads = dict(state.heard), dict(state.sums), dict(state.received_loads)
        readings = dict(state.readings)
        for message in messages:
            heard[message.sender] = message.sequence
            if message.load:
                loads[message.sender] = (message.rows.degree, np.array(message.load))
            own = state.samples.get(message.key)
            if own is None or not message.reading:
                continue
            reading = np.array(message.reading)
            sums[message.sender] = sums[message.sender].add(reading[:6], own[:6])
            readings[message.key] = {**readings.get(message.key, {}), message.sender: reading[6:]}
        return _with(state, heard=heard, sums=sums, received_loads=loads, readings=readings)

    def _settle(self, state: Fan17State) -> Fan17State:
        """Takes the poses for good once all are known, with the paper's first guess of the load."""
        procedure, noise = self.procedure, self.procedure.noise
        fits = {name: fit_pose(sums, *noise[:2]) for name, sums in state.sums.items() if sums.samples}
        if len(fits) < len(self.neighbours) or not all(fit.known for fit in fits.values()):
            return state
        neighbours = {name: neighbour_from_pose(fit.q_real, fit.t_ji) for name, fit in fits.items()}
        weights = alpha_weights(neighbours, noise[0], noise[2], 1.0 / procedure.rate)
        middle = sum(one.t_ij for one in neighbours.values()) / (len(neighbours) + 1)
        return _with(
            state,
            neighbours=neighbours,
            weights=weights,
            Sigma=jnp.asarray(_covariance(neighbours, weights.covariance, procedure)),
            load=np.concatenate([middle, [1.0, 1.0, 1.0, 0.0, 0.0, 0.0], [1.0]]),
            P=procedure.first_variance * jnp.eye(10),
            last_row=-1,
        )

    def _begin_rows(self, state: Fan17State) -> Fan17State:
        """A row for every sample for which the own neighbours in time and the neighbours' readings are there."""
        rows, readings = state.rows, dict(state.readings)
        assert state.neighbours is not None
        assert state.weights is not None
        for key in list(readings):
            before, own, after = (state.samples.get(at) for at in (key - 1, key, key + 1))
            if len(readings[key]) < len(self.neighbours) or before is None or own is None or after is None:
                continue
            alpha = angular_acceleration(
                state.weights,
                state.neighbours,
                (before[:3], own[:3], after[:3]),
                own[6:9],
                readings.pop(key),
                1.0 / self.procedure.rate,
            )
            rows = rows.begin(key, np.concatenate([own[9:], alpha]))
        fresh = rows.keys > state.key - 4 * self.procedure.rounds  # others wait for a message that was lost
        return _with(state, rows=rows if fresh.all() else rows.only(fresh), readings=readings)

    def _mix_rows(self, state: Fan17State, messages: list[Fan17Message]) -> Fan17State:
        """One round of consensus in different coordinates for every row under way."""
        assert state.neighbours is not None
        moves = {nth: state.neighbours[name].row_ij for nth, name in enumerate(self.neighbours)}
        rows, received = state.rows, {}
        for message in messages:
            nth = self.neighbours.index(message.sender)
            if nth in received:  # a late one: the earlier goes in before it
                rows, received = hear_rows(rows, received, moves, len(self.neighbours)), {}
            received[nth] = message.rows
        return _with(state, rows=hear_rows(rows, received, moves, len(self.neighbours)))

    def _estimate_load(self, state: Fan17State) -> Fan17State:
        """Rows that have had all their rounds go into the least squares, in their order."""
        rows, load, P, last_row = state.rows, state.load, state.P, state.last_row
        done = rows.rounds >= self.procedure.rounds
        for key, value in zip(rows.keys[done], rows.values[done], strict=True):
            own = state.samples.get(int(key))
            if own is None or key <= last_row:
                continue
            felt = np.concatenate([own[:3], own[6:9], value[6:], self.procedure.n_robots * value[:6]])
            found = identify(load, P, felt, state.Sigma, self.procedure.forgetting)
            load, P, last_row = np.asarray(found[0]), found[1], int(key)
        return _with(state, rows=rows.only(~done) if done.any() else rows, load=load, P=P, last_row=last_row)

    def _mix_loads(self, state: Fan17State) -> Fan17State:
        """A round of consensus on centre, inertia and mass.

        Before the sample is taken in: what neighbours send is a sample old, and so is the own load at this moment.
        Mixed afterwards, older values hold the newer ones back, and the load follows a change three times as slowly.
        """
        if state.last_row < 0 or state.load is None or state.neighbours is None:
            return state
        load = state.load
        for name, (degree, received) in state.received_loads.items():
            weight = metropolis_weight(len(self.neighbours), degree)
            load = load + weight * (move_load(state.neighbours[name], received) - state.load)
        return _with(state, load=load, received_loads={})

    def _outbox(self, state: Fan17State) -> dict[str, Message]:
        own = state.samples.get(state.key)
        reading = () if own is None else tuple(own[:9].tolist())
        load = () if state.last_row < 0 or state.load is None else tuple(state.load.tolist())
        rows = state.rows.to_message(len(self.neighbours))
        message = Fan17Message(self.name, state.sequence, state.time, state.key, reading, rows, load)
        return dict.fromkeys(self.neighbours, message)


_with = msgspec.structs.replace


def _is_sound(message: Fan17Message) -> bool:
    """Whether a message is well formed: the right number of numbers, all of them finite."""
    rows = message.rows
    received = len(rows.keys)
    return (
        len(message.reading) in (0, 9)
        and len(message.load) in (0, 10)
        and len(rows.rounds) == received
        and len(rows.values) == ROW * received
        and rows.degree > 0
        and math.isfinite(sum(message.reading) + sum(message.load) + sum(rows.values))
    )


def _covariance(
    neighbours: Mapping[str, Neighbour], alpha_covariance: np.ndarray, procedure: Fan17Procedure
) -> np.ndarray:
    """Of (ω, s, α, τ_Σ, f_Σ): robots farther off are taken to hold the load as far away as the neighbours do."""
    noise, n = procedure.noise, procedure.n_robots
    own = np.diag(np.repeat(np.square(noise[3:]), 3))
    wrenches = [own, *(one.coadjoint_ij @ own @ one.coadjoint_ij.T for one in neighbours.values())]
    Sigma = np.zeros((15, 15))
    Sigma[:3, :3], Sigma[3:6, 3:6] = noise[0] ** 2 * np.eye(3), noise[2] ** 2 * np.eye(3)
    Sigma[6:9, 6:9] = alpha_covariance / n
    Sigma[9:, 9:] = n * np.mean(wrenches, axis=0)
    return Sigma + 1e-18 * np.eye(15)
