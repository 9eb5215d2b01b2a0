"""The numbers that tune how a multirotor is identified, each with its unit and the reason for its value."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class MultirotorTuning:
    """Defaults of every method; SI units."""

    mass_prior: float = 0.4
    """Standard deviation of the logarithm of the first mass. A hover in ground effect or with a poor thrust map is off
    by a third at the most."""
    drag_prior: tuple[float, float] = (0.5, 0.2)
    """Standard deviation of the linear (N s/m) and quadratic (N s²/m²) drag coefficient before the flight: about twice
    those of a 1 kg research quadrotor."""
    drag_drift: float = 0.002
    """Random walk of drag, in its units per √s: small, so that drag stays a constant over minutes."""
    loss_drift: float = 0.001
    """Random walk of a mass flow as a share of the mass, 1/s per √s, and its first standard deviation, 1/s: a sprayer
    empties a tank in minutes."""
    lag_prior: tuple[float, float] = (0.05, 0.7)
    """Motors' usual time constant, s, and the standard deviation of its logarithm before the flight: 25 to 100 ms."""
    mass_walk: float = 0.02
    """Random walk of the logarithm of the mass in the paper's filters, per √s: fast enough to follow a step in 1 s."""
    quiet_mass_walk: float = 5e-4
    """The same in `adaptive`, which has a test for jumps and may be quiet between them."""
    jump_std: float = 0.3
    """Prior standard deviation of a jump of the logarithm of the mass: a payload is a third of the take-off mass."""
    flow_jump_share: float = 0.08
    """Prior standard deviation of a jump of the mass flow as a share of the mass, 1/s: a tank lasts 12 s or more."""
    jump_threshold: float = 10.0
    """Log-likelihood ratio from which on a jump is believed: one false alarm in about 40 minutes."""
    jump_bend: float = 0.5
    """Second-order term of the exponential through which a jump of the logarithm of the mass acts."""
    impulse_block: float = 0.25
    """Length of a block of the method `rls`, s: long enough that the velocity noise is small beside the impulse."""
    rls_memory: float = 2.0
    """Time over which the method `rls` forgets, s."""
    rls_gate: float = 8.0
    """Standard deviations from which on the method `rls` takes a reading for an outlier."""
    known_mass_below: float = 0.1
    """Relative standard deviation below which a mass is known."""
    known_drag_below: float = 0.3
    """Share of its prior standard deviation below which drag is known."""
    known_lag_below: float = 0.5
    """Share of its prior standard deviation below which the motors' lag is known."""
    identifiable_within: float = 5.0
    """Time, s, after which what is still unknown is not identifiable from this motion."""
    jump_settled_after: float = 1.0
    """Time after a jump, s, at which its size is read from the estimate; at its detection the size is rough."""
    same_jump_within: float = 0.5
    """Time, s, within which a second jump only corrects the size of the first."""
    noise_rows: int = 4096
    """Rows of a log from which the thrust noise is estimated: more would cost time and change little."""
    least_noise: float = 1e-6
    """SI units: no sensor is better, and a noise-free log stays solvable."""
    position_noise: float = 0.01
    """m, where it is neither stated nor measurable: motion capture or RTK."""
    attitude_noise: float = 0.01
    """rad, likewise: an attitude filter on a common IMU."""
    linear_velocity_noise: float = 0.03
    """m/s, likewise."""
    rates_noise: float = 0.01
    """rad/s, likewise: a common gyroscope."""
    thrust_noise_share: float = 0.03
    """Thrust noise as a share of the mean thrust, where it is not stated; on a log the search begins there."""
    first_mass_span: float = 1.0
    """Time, s, from whose impulse the first mass is taken. A stream starts its filter after this time."""
    outlier_factor: float = 100.0
    """An input that is this many times larger than usual counts as missing: no filter survives being driven by it."""


TUNING = MultirotorTuning()
