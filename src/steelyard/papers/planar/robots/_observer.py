"""The observer of the centre of mass: from the turning rate alone to the vector z_c = r_g − r_c, world axes."""

import msgspec

from steelyard.papers.planar.robots._complex_vectors import cross, turned


class CenterObserver(msgspec.Struct, frozen=True):
    """z_c (m) and ω (rad/s) as observed, and the f̄ of the last step."""

    z_c: complex
    omega: float
    f_bar: complex | None = None


def observer_step(
    state: CenterObserver,
    omega_before: float,
    omega: float,
    f_bar: complex,
    eta: float,
    k_e: float,
    dt: float,
) -> CenterObserver:
    """The observer dt seconds later, in the arbitrary-force form [icra15, Eq. (25)].

    `omega_before` and `omega` are measured at the two ends of the step (rad/s), `f_bar` = n f_mean / J and `eta` hold
    between them. With η = 0 and one constant force for all it is [cdc14, Eq. (24)]. Between the ends z_c turns with
    the load exactly, where an Euler step would lengthen it by 0.1 % a turn.
    """
    turn = 0.5 * (omega_before + omega) * dt
    z_c = turned(state.z_c, turn)
    expected = state.omega + dt * (cross(turned(state.z_c, 0.5 * turn), f_bar) + eta)
    error = (omega - expected) / (1.0 + k_e * dt)
    return CenterObserver(z_c - 1j * f_bar * error * dt, expected + k_e * dt * error, f_bar)


def observability(omega: float, f_bar: complex, f_bar_rate: complex = 0j) -> float:
    """|det 𝒪|: zero when two components of z_c cannot be distinguished from ω.

    [icra15, Eq. (24)] is for a constant force, |ω| ‖f̄‖². One that changes adds f̄ × ḟ̄, and one that turns with the
    load makes it zero: seen from the load it is then constant, and shows the part of z_c across it only.
    """
    return abs(cross(f_bar, f_bar_rate) - omega * abs(f_bar) ** 2)


class Constancy(msgspec.Struct, frozen=True):
    """Whether something stays where it is: means over windows of time, one after the other."""

    total: complex = 0j
    squares: float = 0.0
    excitation: float = 0.0
    count: int = 0
    mean: complex | None = None
    """Over the last full window."""
    drift: float = float("inf")
    """Between the last two windows."""
    spread: float = float("inf")
    """Root mean square about the mean of the last window."""

    def add(self, value: complex, excitation: float, window: int, needed: float) -> "Constancy":
        """One more value; a window counts only if its mean excitation is as much as is needed."""
        total, squares = self.total + value, self.squares + abs(value) ** 2
        excited, count = self.excitation + excitation, self.count + 1
        if count < window:
            return Constancy(total, squares, excited, count, self.mean, self.drift, self.spread)
        if excited / count < needed:
            return Constancy()
        mean = total / count
        drift = float("inf") if self.mean is None else abs(mean - self.mean)
        return Constancy(0j, 0.0, 0.0, 0, mean, drift, max(squares / count - abs(mean) ** 2, 0.0) ** 0.5)
