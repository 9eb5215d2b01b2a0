"""Three robots hold one load; each finds it in its own frame.

No robot knows the load, nor where the others hold it. Each measures twist, specific force and its own wrench in its own
sensor frame, and exchanges messages with its neighbours only. All agree on the mass, and each has the centre of mass,
the inertia and its neighbours' poses in its own axes.

Usage:
    python examples/08_team_in_space.py
"""

import numpy as np

import steelyard as sy


def main():
    log = sy.simulate("spatial", robots=3, duration=6.0, sensors="realistic", seed=2)
    found = sy.identify(log, "spatial-load", {"team": {"links": [["r1", "r2"], ["r2", "r3"]]}})
    for robot in found.robots:
        mass, com = found[robot].mass, found[robot].com
        print(f"{robot}: {mass.value:.4f} ± {1.96 * float(mass.std):.4f} kg, centre at {np.round(com.value, 3)} m")
    pose = found["r1"]["pose/r2"]
    position, quaternion = np.round(pose.value[:3], 3), np.round(pose.value[3:], 3)
    print(f"r2 in r1's frame: position {position} m, quaternion (w, x, y, z) {quaternion}")
    found.write_urdf("load.urdf")  # one load, with the robots' frames fixed to it


if __name__ == "__main__":
    main()
