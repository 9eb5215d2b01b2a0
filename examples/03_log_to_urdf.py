"""From a log to a URDF: what a robot holds, as a model that simulators read.

A robot shakes an unknown load; its log has the twist and specific force of its wrist and the wrench it applies. The
answer has mass, centre of mass and inertia with intervals, and becomes a report and a URDF with an `<inertial>`.

Usage:
    python examples/03_log_to_urdf.py
"""

from pathlib import Path

import steelyard as sy


def main():
    log = sy.simulate("spatial", robots=1, duration=8.0, seed=2)
    found = sy.identify(log, "rigid-body")
    load = found["r1"]
    for name, estimate in load.items():
        print(f"{name} ({estimate.unit}, {estimate.status}): {estimate.value}")
    if load.mass.interval is not None:
        lower, upper = load.mass.interval
        print(f"mass, 95 %: {lower:.4f} to {upper:.4f} kg; truth {log.columns['truth/mass'][-1]:.4f} kg")
    print(found.verdict)
    found.write_report("load.html")
    found.write_urdf("load.urdf")
    print(Path("load.urdf").read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
