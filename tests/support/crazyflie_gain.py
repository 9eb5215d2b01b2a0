"""What two NanoBench flights say of mass and thrust by plain means, and of the thrust a command without any mass.

`python tests/support/crazyflie_gain.py` prints, for B3 and B5: mean thrust by the published map (p times V / 3.8) over
mean specific force by motion capture, the battery's voltage at rest and in flight, and how much torque a differential
command makes in B3 over that in B5, by the cross-spectrum of commands and gyroscope from 3.5 to 6.6 Hz. That is the
thrust a command, whatever the drone weighs, if its inertia was the same.
"""

import csv
import gzip
import os
from pathlib import Path

import numpy as np
from scipy.signal import csd, savgol_filter, welch
from scipy.spatial.transform import Rotation

DATA = Path(os.environ.get("STEELYARD_REAL_DATA", Path(__file__).parents[3] / "shared" / "data")) / "nanobench"
FLIGHTS = ("B3_figure8_medium_rep2", "B5_helix_medium_rep1")
AXES = {"x": (-1, -1, 1, 1), "y": (1, -1, -1, 1)}
"""Signs of the motors in a differential command about each gyroscope axis."""


def read(name: str) -> dict[str, np.ndarray]:
    """Columns by name."""
    with gzip.open(DATA / f"{name}.csv.gz", "rt") as file:
        names, *rows = csv.reader(file)
    return dict(zip(names, np.array(rows, float).T, strict=True))


def flown(d: dict[str, np.ndarray]) -> slice:
    """Rows above 0.4 m, less two seconds at either end."""
    rows = np.flatnonzero(d["pz"] > 0.4)
    return slice(rows[0] + 200, rows[-1] - 200)


def plain_mass(d: dict[str, np.ndarray]) -> float:
    """Mean thrust over mean specific force along the thrust axis, kg."""
    volts = d["pwr_pm_vbat"]
    commands = np.stack([d[f"motor_motor_m{k}"] for k in range(1, 5)], axis=1)
    thrust = np.sum(3.16e-10 * (0.2685 * commands * volts[:, None] / 3.8 + 4070.3) ** 2, axis=1)
    z = Rotation.from_quat(np.stack([d[f"q{a}"] for a in "xyzw"], axis=1)).as_matrix()[:, :, 2]
    acceleration = np.stack([savgol_filter(d[f"p{a}"], 31, 3, deriv=2, delta=0.01) for a in "xyz"], axis=1)
    force = np.sum((acceleration + np.array([0.0, 0.0, 9.81])) * z, axis=1)
    return float(np.mean(thrust[flown(d)]) / np.mean(force[flown(d)]))


def gain(d: dict[str, np.ndarray], axis: str) -> np.ndarray:
    """Angular rate a differential command, at frequencies from 3.5 to 6.6 Hz."""
    u = sum(sign * d[f"motor_motor_m{k + 1}"] for k, sign in enumerate(AXES[axis]))[flown(d)]
    options = {"fs": 100, "nperseg": 256, "noverlap": 192}
    frequency, cross = csd(u, d[f"imu_gyro_{axis}"][flown(d)], **options)
    _, power = welch(u, **options)
    return np.abs(cross / power)[(frequency > 3.4) & (frequency < 6.7)]


def main() -> None:
    """Prints all."""
    flights = {name: read(name) for name in FLIGHTS}
    for name, d in flights.items():
        volts = d["pwr_pm_vbat"]
        print(
            f"{name}: {1000 * plain_mass(d):.2f} g; battery {volts[:100].mean():.2f} V before, "
            f"{volts[flown(d)].mean():.2f} V in flight, {volts[-50:].mean():.2f} V after"
        )
    for axis in AXES:
        ratio = gain(flights[FLIGHTS[0]], axis) / gain(flights[FLIGHTS[1]], axis)
        error = ratio.std(ddof=1) / np.sqrt(len(ratio))
        print(f"torque a command about {axis}, B3 over B5: {ratio.mean():.3f} ± {1.96 * error:.3f}")


if __name__ == "__main__":
    main()
