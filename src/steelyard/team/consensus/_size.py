"""How many are we? The papers let every robot know; this finds out [cdc14, Sec. II]."""

from collections.abc import Mapping

import msgspec

from steelyard.team.consensus._consensus import Consensus, Told
from steelyard.team.consensus._flow import DynamicAverage, FlowState
from steelyard.team.consensus._maximum import Maximum, MaximumState


class SizeState(msgspec.Struct, frozen=True):
    """Who leads, as far as heard, the mean of "it is me", and how long it has been near the same 1/n."""

    name: str
    leader: MaximumState
    share: FlowState
    count: int = 0
    rounds: int = 0


class NetworkSize(Consensus):
    """The last name of all leads; one leader among n makes a mean of 1/n.

    Who leads is learnt on the way, so "it is me" changes from yes to no: what is averaged is dynamic. An average says
    nothing about how far away it still is, so a count is believed once it has stayed for as many rounds as n robots
    take at most to average, about 3 n² on a line: a count that is wrong for now moves on before.
    """

    def init(self, name: str, neighbours: tuple[str, ...], own: object) -> SizeState:
        """Everyone leads until it hears better."""
        return SizeState(name, Maximum().init(name, neighbours, name), DynamicAverage().init(name, neighbours, 1.0))

    def tell(self, state: SizeState, neighbour: str) -> Told:
        """The leader's name beside the average."""
        return (*DynamicAverage().tell(state.share, neighbour), state.leader.value)

    def hear(self, state: SizeState, heard: Mapping[str, Told], own: object) -> SizeState:
        """One round of both."""
        leader = Maximum().hear(state.leader, {name: (told[0], told[3]) for name, told in heard.items()}, None)
        me = float(leader.value == state.name)
        share = DynamicAverage().hear(state.share, {name: told[:3] for name, told in heard.items()}, me)
        count = _nearest(share)
        same = count == state.count and leader.value == state.leader.value
        return SizeState(state.name, leader, share, count, state.rounds + 1 if same else 0)

    def read(self, state: SizeState) -> int | None:
        """The number of robots; None while the average has not stayed near one."""
        alone = not state.share.flows
        settled = state.count > len(state.share.flows) and state.rounds >= 3 * state.count**2
        return 1 if alone else state.count if settled else None


def _nearest(share: FlowState) -> int:
    """The n whose 1/n is near, 0 where none is."""
    value = share.value
    if not value > 0.0:
        return 0
    n = round(1.0 / value)
    return n if abs(1.0 / value - n) < 0.1 else 0
