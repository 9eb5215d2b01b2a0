"""Max-consensus: the greatest value of all reaches everyone in as many rounds as the graph is wide."""

from collections.abc import Mapping

import msgspec

from steelyard.team.consensus._consensus import Consensus, Told


class MaximumState(msgspec.Struct, frozen=True):
    """The greatest value heard of."""

    degree: int
    value: float | int | str


class Maximum(Consensus):
    """Numbers, or names in their alphabetical order; exact, and nothing that is lost, late or double can harm it."""

    def init(self, name: str, neighbours: tuple[str, ...], own: float | int | str) -> MaximumState:
        """Starts at the robot's own value."""
        return MaximumState(len(neighbours), own)

    def tell(self, state: MaximumState, neighbour: str) -> Told:
        """The greatest value known."""
        return (state.degree, state.value)

    def hear(self, state: MaximumState, heard: Mapping[str, Told], own: float | int | str | None) -> MaximumState:
        """The greatest of all; a robot's own value may grow on the way."""
        known = [state.value, *(value for _, value in heard.values()), *([] if own is None else [own])]
        return MaximumState(state.degree, max(known))  # pyright: ignore[reportArgumentType]

    def read(self, state: MaximumState) -> float | int | str:
        """The greatest value heard of."""
        return state.value
