"""Dynamic average consensus: the mean of values that change, by flows along the links.

The robust form, chosen among several. The usual one adds each change of a robot's own value to its estimate; what a
lost message, a late joiner or rounding once takes from the sum is then gone for good. The proportional-integral form
forgives a wrong start but needs gains that fit the graph. Here each robot keeps, for each link, the flow that has left
through it, and its estimate is always its own value less all flows [jesus09]. The two ends of a link see opposite
flows; where a lost message made them differ, the next ones heal it, so the sum is right again. A neighbour that leaves
is cut off by forgetting its flow. While nothing is lost the estimates are those of Metropolis averaging.
"""

from collections.abc import Mapping

import msgspec
import numpy as np

from steelyard.team.consensus._consensus import Consensus, Told
from steelyard.team.membership._graph import metropolis_weight


class FlowState(msgspec.Struct, frozen=True):
    """A robot's own value, and what has flowed out of it along each link."""

    own: float
    flows: dict[str, float]

    @property
    def value(self) -> float:
        """The robot's estimate of the mean."""
        return self.own - sum(self.flows.values())


class DynamicAverage(Consensus):
    """Tracks the mean of changing values; survives lost, late and double messages, joining and leaving."""

    def init(self, name: str, neighbours: tuple[str, ...], own: float) -> FlowState:
        """Starts at the robot's own value: nothing has flowed."""
        return FlowState(float(own), dict.fromkeys(neighbours, 0.0))

    def tell(self, state: FlowState, neighbour: str) -> Told:
        """The estimate, and the flow along this link as this end has it."""
        return (len(state.flows), state.value, state.flows[neighbour])

    def hear(self, state: FlowState, heard: Mapping[str, Told], own: float | None) -> FlowState:
        """One round. A neighbour not heard of before is taken in."""
        value, degree = state.value, len(state.flows)
        flows = dict(state.flows)
        for name, (d_j, x_j, flow_ji) in heard.items():
            weight = metropolis_weight(degree, int(d_j))
            flows[name] = 0.5 * (flows.get(name, 0.0) - float(flow_ji)) + weight * (value - float(x_j))
        return FlowState(state.own if own is None else float(own), flows)

    def read(self, state: FlowState) -> float:
        """The estimate of the mean."""
        return state.value


def without(state: FlowState, neighbour: str) -> FlowState:
    """The state once a neighbour has left: what had flowed to it comes back."""
    return FlowState(state.own, {name: flow for name, flow in state.flows.items() if name != neighbour})


class ToldFlows(msgspec.Struct, frozen=True, array_like=True):
    """Several flows at once: what a robot tells one neighbour about a vector of values."""

    degree: int
    values: tuple[float, ...]
    flows: tuple[float, ...]


def flow_along(
    flow: np.ndarray, values: np.ndarray, told: ToldFlows, degree: int, offset: np.ndarray, gain: np.ndarray
) -> np.ndarray:
    """The new flow along one link, for a vector of values at once.

    `offset` is how much more this end should have than the other (zero for an average), `gain` in (0, 1] slows values
    down that should average over time, too.
    """
    weight = metropolis_weight(degree, told.degree)
    return 0.5 * (flow - np.array(told.flows)) + weight * gain * (values - np.array(told.values) - offset)
