"""What a model of a multirotor lacks: gusts, ground effect, battery sag, a swinging load, delays, thrust errors."""

import dataclasses

import numpy as np

from steelyard.worlds.multirotor._tuning import WORLD


@dataclasses.dataclass(frozen=True)
class Disturbances:
    """One flight with everything that acts beside thrust, weight and drag; SI units."""

    speed: float = 2.0
    """Typical speed along the path, m/s."""
    height: float = 1.2
    """m above the ground; the flight begins and ends at 0.15 m."""
    mass: float = 1.0
    """kg, with what hangs below."""
    change: float = 0.0
    """Share of the mass by which it jumps."""
    change_time: float = 30.0
    """s."""
    ramp: float = 0.0
    """Share of the mass that flows out evenly from `change_time` on for `ramp_time`."""
    ramp_time: float = 20.0
    """s."""
    load: float = 0.0
    """Share of the mass that swings on a cable."""
    cable: float = 0.3
    """m."""
    wind: float = 0.0
    """Mean wind, m/s; turbulence goes with it."""
    wind_heading: float = 0.0
    """rad."""
    inflow: float = 0.06
    """Share of the thrust lost per m/s of air along the thrust axis, s/m."""
    loss: float = 0.0
    """Share of the thrust lost per m/s of airspeed, s/m; negative for a gain."""
    rotor: float = 0.1
    """Radius, m, that makes the ground effect, as Cheeseman and Bennett have it."""
    sag: float = 0.0
    """Share of the thrust lost, over the flight, that the logged thrust does not know of."""
    motor_noise: float = 0.01
    """White thrust noise of a row, as a share of the weight."""
    motor_lag: float = 0.04
    """s."""
    velocity_delay: float = 0.0
    thrust_delay: float = 0.0
    attitude_delay: float = 0.0
    """s, of the logged signals."""
    velocity_noise: float = 0.02
    """m/s an axis."""
    velocity_filter: float = 0.0
    """Time constant of a low-pass filter on the logged velocity, s."""
    attitude_noise: float = 0.005
    """rad."""
    tilt: tuple[float, float] = (0.0, 0.0)
    """Of the attitude's body axes against the thrust axis, rad."""

    def gusts(self) -> tuple[np.ndarray, np.ndarray]:
        """Deviation, m/s, and time constant, s, of turbulence along x, y and z, at low altitude.

        Lengths and sizes are those of the Dryden spectra at a height of three metres; a vehicle meets them at its
        airspeed.
        """
        feet = WORLD.turbulence_height / 0.3048
        shape = 0.177 + 0.000823 * feet
        airspeed = max(np.hypot(self.wind, self.speed), 1.0)
        along, up = WORLD.turbulence_height / shape**1.2, WORLD.turbulence_height
        size = 0.1 * self.wind
        sizes = np.array([size / shape**0.4, size / shape**0.4, size])
        return sizes, np.array([along, along, up]) / airspeed


def draw_disturbances(seed: int, changed: bool = False, duration: float = 60.0) -> Disturbances:
    """A flight of the campaign: all sizes by chance, within what small machines meet."""
    rng = np.random.default_rng([seed, 2020])
    loaded = rng.random() < 1 / 3
    speeds = (0.3, 1.0) if loaded else (0.3, 1.0, 2.0, 3.0, 4.0)  # a cable's angle stays small: the world needs it
    speed, wind = float(rng.choice(speeds)), float(rng.uniform(0.0, 4.0))
    top = float(rng.uniform(-0.03, 0.03))  # of the thrust, at the flight's usual airspeed
    change = float(rng.choice([-0.1, 0.1])) if changed else 0.0
    tilt = np.deg2rad(rng.normal(0.0, 0.7, 2))
    return Disturbances(
        speed=speed,
        height=float(rng.uniform(0.5, 2.0)),
        mass=float(rng.uniform(0.5, 2.0)),
        change=change,
        change_time=float(rng.uniform(0.2, 0.8)) * duration,
        load=float(rng.uniform(0.05, 0.2)) if loaded else 0.0,
        cable=float(rng.uniform(0.08, 0.5)),
        wind=wind,
        wind_heading=float(rng.uniform(0.0, 2 * np.pi)),
        inflow=float(rng.uniform(0.03, 0.08)),
        loss=top / max(float(np.hypot(speed, wind)), 1.0),
        rotor=float(rng.uniform(0.05, 0.15)),
        sag=float(rng.uniform(0.0, 0.02)) if rng.random() < 1 / 3 else 0.0,
        motor_noise=float(rng.uniform(0.005, 0.03)),
        motor_lag=float(rng.uniform(0.03, 0.06)),
        velocity_delay=float(rng.uniform(0.0, 0.02)),
        thrust_delay=float(rng.uniform(0.0, 0.02)),
        attitude_delay=float(rng.uniform(0.0, 0.01)),
        velocity_noise=float(rng.uniform(0.005, 0.03)),
        velocity_filter=float(rng.choice([0.0, 0.02, 0.05])),
        attitude_noise=float(rng.uniform(0.002, 0.01)),
        tilt=(float(tilt[0]), float(tilt[1])),
    )
