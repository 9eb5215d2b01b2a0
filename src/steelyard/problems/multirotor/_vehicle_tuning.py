"""The constants of the method `vehicle`, each with its unit and its reason."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class _Tuning:
    sample: float = 0.01
    """s over which rows are averaged: no motor of a vehicle answers within it, and rotors' vibration is gone."""
    order: int = 10
    """Of the autoregression: 0.1 s, the time in which a rate controller answers."""
    rounds: int = 3
    """Of whitening and fitting: the residuals change by less than a percent after it."""
    blocks: int = 12
    """Of the flight, taken as independent: of 2 s and more, much longer than any lag."""
    blocks_tried: tuple[int, ...] = (12, 8, 24)
    """Of the flight for the deviations of a fit: a dozen blocks tell a deviation to 20 % at best."""
    few_blocks: float = 1.12
    """What Student's distribution with 11 degrees of freedom has beyond the normal one at 95 %."""
    first_lags: tuple[float, ...] = (0.02, 0.04, 0.08, 0.15)
    """s, at which the search begins."""
    lags: tuple[float, float] = (0.004, 0.5)
    """s, of motors."""
    usual_delay: float = 0.006
    """s, of a gyroscope behind its low-pass filter."""
    longest_delay: float = 0.03
    """s, of a sensor behind its command."""
    turns: float = 0.4
    """Share of the strongest rotor's effect below which a rotor hardly turns the vehicle: those on the axis of a +."""
    shortest: float = 10.0
    """s of flight in all, and in one piece for the thrust curve and the inertia."""
    shortest_part: float = 3.0
    """s of a flight that counts."""
    gap: float = 0.25
    """s between rows that end a flight: nothing is interpolated beyond."""
    idle: float = 0.5
    """Share of the command usual in flight below which, over a second, the vehicle does not fly."""
    crash: float = 60.0
    """m/s², beyond what the rotors of any of these vehicles do: it hit something."""
    margin: float = 1.0
    """s at both ends of a flight that do not count: ground effect, and what came before a crash."""
    known_below: float = 0.5
    """Relative standard deviation up to which a number is one."""
    gyration: tuple[float, float] = (0.15, 1.6)
    """Radius of gyration over the distance to a rotor: 0.5 of a Crazyflie, near 1 with all mass in the motors."""
    explained: float = 0.3
    """Share of the whitened variance of a channel: below, commands do not explain the motion."""
    alike: float = 0.02
    """Of the mean thrust: rotors of one make differ by that much at the same command."""


TUNING = _Tuning()
