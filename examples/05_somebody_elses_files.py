"""Files of another tool: which column is which signal?

A wrist's log is taken apart into two CSV files with other column names, degrees, g, and clocks in microseconds that
start at different moments. `sy.read` finds names, units, axes and clocks by physics and says why it thinks so.

Usage:
    python examples/05_somebody_elses_files.py
"""

import numpy as np

import steelyard as sy


def main():
    log = sy.simulate("wrist", duration=8.0, seed=2)
    microseconds = np.round(1e6 * log.time).astype(int)
    with open("wrench.csv", "w", encoding="utf-8") as file:
        file.write("t,fx,fy,fz,tx,ty,tz\n")
        for k, time in enumerate(microseconds):
            names = [f"r1/wrench/{part}/{axis}" for part in ("force", "torque") for axis in "xyz"]
            file.write(f"{time}," + ",".join(f"{log.columns[name][k]:.6f}" for name in names) + "\n")
    with open("imu.csv", "w", encoding="utf-8") as file:
        file.write("t,ax,ay,az,gx,gy,gz\n")
        for k, time in enumerate(microseconds):
            accelerations = [log.columns[f"r1/specific_force/{axis}"][k] / 9.81 for axis in "xyz"]
            rates = [np.degrees(log.columns[f"r1/twist/angular/{axis}"][k]) for axis in "xyz"]
            file.write(f"{time}," + ",".join(f"{value:.6f}" for value in (*accelerations, *rates)) + "\n")

    read = sy.read("wrench.csv", "imu.csv")
    for signal, source in read.mapping.items():
        print(f"{signal} = {', '.join(source.source)} ({source.unit})\n    {source.why}")

    found = sy.identify(read, "rigid-body")
    mass = found["r1"].mass
    print(f"mass {mass.value:.3f} kg, 95 %: {mass.interval[0]:.3f} to {mass.interval[1]:.3f} kg; truth 1 kg")


if __name__ == "__main__":
    main()
