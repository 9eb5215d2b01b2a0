"""Four robots push a load on a plane and find it from velocities and forces.

Each robot measures the velocity of its own contact and the force it applies, in world axes. It knows no positions. The
answers are mass, moment of inertia, the way from its contact to the centre of mass and to its neighbours' contacts.

Usage:
    python examples/09_team_on_a_plane.py
"""

import numpy as np

import steelyard as sy


def main():
    log = sy.simulate("planar", duration=8.0, seed=1)
    found = sy.identify(log, "planar-load")
    for robot in found.robots:
        known = {name: one for name, one in found[robot].items() if one.status == "known"}
        print(f"{robot}: " + ", ".join(f"{name} {np.round(one.value, 3)} {one.unit}" for name, one in known.items()))
    print(f"truth: {log.truth('mass')[0][-1]:.3f} kg, {log.truth('inertia')[0][-1]:.3f} kg m²")
    print(found.verdict)


if __name__ == "__main__":
    main()
