"""A robot of the planar papers: one step is their procedure, read from top to bottom."""

import msgspec

from steelyard.errors import BadInput
from steelyard.papers.planar.robots._forces import choose_force
from steelyard.papers.planar.robots._inbox import averages, hear_neighbours, is_sound, own_velocity
from steelyard.papers.planar.robots._procedure import Mode, PaperMessage, PaperState, Procedure, Stage
from steelyard.papers.planar.robots._report import report
from steelyard.papers.planar.robots._stages import count_votes, next_ballot
from steelyard.papers.planar.robots._steps import average_arm, estimate_inertia, estimate_mass, observe_center
from steelyard.team._agent import Agent, Message, Turn
from steelyard.team.consensus._flow import FlowMessage
from steelyard.team.planar_load._sample import PlanarSample


class PaperAgent(Agent):
    """Measures its contact's velocity, hears its neighbours, chooses its force; made by `cdc14_team`, `icra15_team`.

    The papers take a perfect radio for granted. Where messages are lost the averages lag, no ballot finds all content,
    and the team stays in its stage with what it does not know `not-yet-known`; `planar_load_team` is for such radios.
    """

    def __init__(self, name: str, neighbours: tuple[str, ...], procedure: Procedure):
        if not neighbours:
            raise BadInput(f'Robot "{name}" has no neighbour, and alone it cannot see how the load turns; add a link.')
        self.name = name
        self.neighbours = neighbours
        self.procedure = procedure
        self._decoder = msgspec.msgpack.Decoder(PaperMessage)

    def init(self) -> PaperState:
        """Nothing is known but who the neighbours are."""
        return PaperState(heard=dict.fromkeys(self.neighbours, -1))

    def step(self, state: PaperState, sample: PlanarSample, inbox: tuple[Message, ...]) -> Turn:
        """One sample: receive, average, vote, estimate, push, send."""
        procedure, time = self.procedure, sample.time
        messages = tuple(
            m for m in inbox if isinstance(m, PaperMessage) and m.sender in self.neighbours and is_sound(m)
        )
        state = _remember(state, sample, procedure)
        state = hear_neighbours(state, messages, self.neighbours, state.key, procedure)
        state = averages(state, procedure)
        state = count_votes(state, messages)
        ballot = state.key // procedure.ballot_rounds
        if ballot != state.ballot:
            state = next_ballot(state, time, ballot, procedure)
        state = average_arm(state, time, procedure)
        state = estimate_inertia(state, procedure)
        state = observe_center(state, procedure)
        state = estimate_mass(state, procedure)
        if state.key % procedure.report_every == 0:
            state = msgspec.structs.replace(state, estimates=report(state, procedure))
        force = choose_force(state, self.name, time, procedure)
        turning = state.stage == Stage.TURN and state.mode == Mode.TURN
        state = msgspec.structs.replace(state, turning=(turning, state.turning[0]))
        return Turn(state, self._outbox(state, time), state.estimates, (force.real, force.imag))

    def _outbox(self, state: PaperState, time: float) -> dict[str, Message]:
        v = state.velocities.get(state.key)
        velocity = None if v is None else (v.real, v.imag)
        values = () if state.values is None else tuple(state.values.tolist())
        silence = (0.0,) * len(values)
        degree = len(self.neighbours)
        return {
            name: PaperMessage(
                self.name,
                state.sequence,
                time,
                velocity,
                FlowMessage(degree, values, tuple(state.flows[name].tolist()) if name in state.flows else silence),
                state.ballot,
                state.votes,
                int(state.stage),
            )
            for name in self.neighbours
        }

    def decode(self, data: bytes) -> PaperMessage:
        """A message of another such robot from its bytes."""
        return self._decoder.decode(data)


def _remember(state: PaperState, sample: PlanarSample, procedure: Procedure) -> PaperState:
    """The robot's own sample, stored until the neighbours' of the same time have come."""
    key, v = round(sample.time * procedure.rate), own_velocity(sample.velocity)
    velocities = {at: old for at, old in state.velocities.items() if at > key - procedure.history}
    if v is not None:
        velocities[key] = v
    return msgspec.structs.replace(
        state,
        sequence=state.sequence + 1,
        key=key,
        velocities=velocities,
        silent=0 if v is not None else state.silent + 1,
        forces=(complex(*sample.force), state.forces[0]),
    )
