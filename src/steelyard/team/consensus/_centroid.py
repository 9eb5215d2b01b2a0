"""Where am I from the middle of us all? From differences between neighbours to positions from their mean.

The step that the planar papers take from a distributed estimator of the centroid [cdc14, Sec. III], [aragues12]. Flows
along the links again: a robot's position is minus the sum of its flows, opposite at the two ends of a link, so the
positions of all sum to zero whatever was lost; and flows change until neighbours differ by what they measured.
"""

from collections.abc import Mapping

import msgspec

from steelyard.team.consensus._consensus import Consensus, Told
from steelyard.team.membership._graph import metropolis_weight


class CentroidState(msgspec.Struct, frozen=True):
    """Flows along the links (m, two components each), and the last measured differences."""

    flows: dict[str, tuple[float, float]]
    differences: dict[str, tuple[float, float]]

    @property
    def position(self) -> tuple[float, float]:
        """From the mean of all to this robot (m)."""
        return -sum((x for x, _ in self.flows.values()), 0.0), -sum((y for _, y in self.flows.values()), 0.0)


class Centroid(Consensus):
    """z_i from z_ij. A robot's own value maps each neighbour j to z_ij = r_i − r_j (m, axes common to all).

    Differences may change from round to round, and the positions follow with the lag of an average consensus. On a
    load that turns they are to be carried along between rounds, as the planar agents do.
    """

    def init(self, name: str, neighbours: tuple[str, ...], own: Mapping[str, tuple[float, float]]) -> CentroidState:
        """Everyone in the middle."""
        return CentroidState(dict.fromkeys(neighbours, (0.0, 0.0)), dict(own))

    def tell(self, state: CentroidState, neighbour: str) -> Told:
        """The position so far, and the flow along this link."""
        return (len(state.flows), *state.position, *state.flows[neighbour])

    def hear(
        self, state: CentroidState, heard: Mapping[str, Told], own: Mapping[str, tuple[float, float]] | None
    ) -> CentroidState:
        """One round; links without a measured difference wait."""
        z_i, differences = state.position, state.differences if own is None else dict(own)
        flows = dict(state.flows)
        for name, (d_j, *rest) in heard.items():
            if name in differences:
                z_j, flow_j = (float(rest[0]), float(rest[1])), (float(rest[2]), float(rest[3]))
                weight, z_ij, flow_i = metropolis_weight(len(flows), int(d_j)), differences[name], flows[name]
                x, y = (0.5 * (flow_i[a] - flow_j[a]) + weight * (z_i[a] - z_j[a] - z_ij[a]) for a in (0, 1))
                flows[name] = (x, y)
        return CentroidState(flows, differences)

    def read(self, state: CentroidState) -> tuple[float, float]:
        """From the mean of all to this robot (m)."""
        return state.position
