"""Dynamic average consensus: the mean of values that change, by flows along the links [jesus09].

Each robot keeps for each link the flow that has left through it. Its estimate of the mean is its own value less all of
its flows. The two ends of a link have opposite flows; a lost message makes them differ, and the next ones correct it.
So the estimates always sum to the own values again, whatever was lost, and a neighbour that leaves is removed by
forgetting its flow. While nothing is lost the estimates are those of Metropolis averaging.

Roads not taken: adding each change of the own value to the estimate (a lost message then shifts the mean for good), and
the proportional-integral form (its gains must fit the graph).
"""

import msgspec
import numpy as np

from steelyard.team.membership._graph import metropolis_weight


class FlowMessage(msgspec.Struct, frozen=True, array_like=True):
    """What a robot sends one neighbour about a vector of values."""

    degree: int
    """The sender's number of neighbours."""
    values: tuple[float, ...]
    """The sender's estimates."""
    flows: tuple[float, ...]
    """The flows along this link as the sender has them."""


def next_flow(
    flow: np.ndarray, values: np.ndarray, received: FlowMessage, degree: int, offset: np.ndarray, gain: np.ndarray
) -> np.ndarray:
    """The new flow along one link, for a vector of values at once.

    `values` are the own estimates and `degree` the own number of neighbours. `offset` is by how much this end's value
    should exceed the other's (zero for an average); a `gain` in (0, 1] below one averages over time too.
    """
    weight = metropolis_weight(degree, received.degree)
    return 0.5 * (flow - np.array(received.flows)) + weight * gain * (values - np.array(received.values) - offset)
