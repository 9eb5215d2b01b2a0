"""Push-sum by running sums: an average that survives lost messages without knowing which were lost."""

from collections.abc import Mapping

import msgspec

from steelyard.team.consensus._consensus import Consensus, Told


class PushSumState(msgspec.Struct, frozen=True):
    """What a robot holds, what it has ever sent along each link, and what it has ever received."""

    held: tuple[float, float]
    """Value and weight; their quotient is the estimate."""
    sigma: tuple[float, float]
    """All that was ever sent along each link, σ: the same for all links."""
    rho: dict[str, tuple[float, float]]
    """All that ever arrived from each neighbour, ρ: its σ when it was last heard."""


class PushSum(Consensus):
    """Each round a robot splits what it holds evenly among itself and its neighbours [hadjicostis16].

    It tells the running sum of what it has sent, not the share itself. Whoever missed a message finds the missing share
    in the next one, so nothing is ever lost for good: the sum over robots and links stays what it was.
    """

    def init(self, name: str, neighbours: tuple[str, ...], own: float) -> PushSumState:
        """The own value with weight one; the first shares are on their way at once."""
        return _split((float(own), 1.0), (0.0, 0.0), dict.fromkeys(neighbours, (0.0, 0.0)))

    def tell(self, state: PushSumState, neighbour: str) -> Told:
        """The running sums."""
        return (len(state.rho), *state.sigma)

    def hear(self, state: PushSumState, heard: Mapping[str, Told], own: object) -> PushSumState:
        """Takes in what arrived beyond what had arrived before, and splits again."""
        value, weight = state.held
        rho = dict(state.rho)
        for name, (_, sigma_value, sigma_weight) in heard.items():
            before = rho.get(name, (0.0, 0.0))
            rho[name] = (float(sigma_value), float(sigma_weight))
            value += rho[name][0] - before[0]
            weight += rho[name][1] - before[1]
        return _split((value, weight), state.sigma, rho)

    def read(self, state: PushSumState) -> float:
        """The estimate of the mean."""
        return state.held[0] / state.held[1]


def _split(held: tuple[float, float], sigma: tuple[float, float], rho: dict[str, tuple[float, float]]) -> PushSumState:
    parts = 1.0 + len(rho)
    share = (held[0] / parts, held[1] / parts)
    return PushSumState(share, (sigma[0] + share[0], sigma[1] + share[1]), rho)
