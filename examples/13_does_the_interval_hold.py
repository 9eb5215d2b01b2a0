"""Does a 95 % interval hold the truth in 95 of 100 cases? Count it.

Eight simulated flights with known noise are identified, and the truth is compared with each interval. Eight are
enough to see how it is done, not to measure it: `steelyard cover multirotor --seeds 400` has the numbers, with the
uncertainty of the count itself.

Usage:
    python examples/13_does_the_interval_hold.py
"""

import numpy as np

import steelyard as sy

NOISE = {"position": 0.01, "attitude": 0.01, "linear_velocity": 0.03, "rates": 0.01, "thrust": 0.3}
FLIGHTS = 8


def main():
    held, errors = 0, []
    for seed in range(FLIGHTS):
        log = sy.simulate("multirotor", duration=4.0, profile="constant", mass=1.2, seed=seed)
        mass = sy.identify(log, "multirotor", {"noise": NOISE}, method="ekf")["r1"].mass
        if mass.interval is None:
            print(f"seed {seed}: {mass.status}: {mass.reason}")
            continue
        held += bool(mass.interval[0] <= 1.2 <= mass.interval[1])
        errors.append((float(mass.value) - 1.2) / float(mass.std))
    print(f"{held} of {len(errors)} intervals hold the truth; errors over stated deviations: {np.round(errors, 1)}")


if __name__ == "__main__":
    main()
