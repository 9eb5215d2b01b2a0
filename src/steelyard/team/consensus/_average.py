"""Average consensus: every robot moves towards its neighbours."""

from collections.abc import Mapping

import msgspec

from steelyard.team.consensus._consensus import Consensus, Told
from steelyard.team.membership._graph import metropolis_weight


class AverageState(msgspec.Struct, frozen=True):
    """A robot's value on its way to the average."""

    degree: int
    value: float


class Average(Consensus):
    """x_i ← x_i + Σ_j w_ij (x_j − x_i) with Metropolis weights, the sampled form of [cdc14, Eq. (16)].

    Keeps the mean while no message is lost, and converges at the rate of the weights' second eigenvalue. A lost
    message moves the mean for good; `DynamicAverage` and `PushSum` are the ones for radios.
    """

    def init(self, name: str, neighbours: tuple[str, ...], own: float) -> AverageState:
        """Starts at the robot's own value."""
        return AverageState(len(neighbours), float(own))

    def tell(self, state: AverageState, neighbour: str) -> Told:
        """The same to everyone."""
        return (state.degree, state.value)

    def hear(self, state: AverageState, heard: Mapping[str, Told], own: object) -> AverageState:
        """One round; the robot's own value was taken at the start and is not asked again."""
        x = state.value
        steps = [metropolis_weight(state.degree, int(d_j)) * (float(x_j) - x) for d_j, x_j in heard.values()]
        return AverageState(state.degree, x + sum(steps))

    def read(self, state: AverageState) -> float:
        """The value so far."""
        return state.value
