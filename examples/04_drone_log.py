"""A drone's log: how heavy was it, and when did that change?

A flight of 16 s loses a third of its mass. The log is written as CSV and read back, as you would read your own. The
answer has the mass at the end with its 95 % interval, the moment of the change, and the whole course as a series.

Usage:
    python examples/04_drone_log.py
"""

import numpy as np

import steelyard as sy
from steelyard.logs import write


def main():
    write(sy.simulate("multirotor", duration=16.0, profile="step-down", seed=4), "flight.csv")

    found = sy.identify(sy.read("flight.csv"), "multirotor")
    mass = found["r1"].mass
    print(f"mass at the end: {mass.value:.3f} kg, 95 %: {mass.interval[0]:.3f} to {mass.interval[1]:.3f} kg")
    for event in found.events:
        print(f"{event.time:.2f} s: {event.message}")

    course = found.series["r1"]["mass"]
    for time in (2.0, 6.0, 10.0, 14.0):
        row = int(np.searchsorted(course.time, time))
        print(f"at {time:4.1f} s: {float(course.value[row]):.3f} ± {1.96 * float(course.std[row]):.3f} kg")
    found.write_report("flight.html")


if __name__ == "__main__":
    main()
