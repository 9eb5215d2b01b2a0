"""The filter's step as C99, built and checked on this machine.

The folder has the step, a header that names every number with its unit, an initial state, and a program that replays
recorded samples and compares with Python's numbers. It needs nothing but <math.h>.

Usage:
    python examples/11_export_to_c.py
"""

import shutil
import subprocess

import steelyard as sy

NOISE = {"position": 0.01, "attitude": 0.01, "linear_velocity": 0.03, "rates": 0.01, "thrust": 0.3}


def main():
    log = sy.simulate("multirotor", duration=1.0, seed=1)
    exported = sy.export("multirotor", "filter", "ekf", log, {"noise": NOISE})
    print(f"{exported.code.operations} operations a step; files: {', '.join(exported.files)}")
    compiler = shutil.which("cc")
    if compiler is None:
        print("There is no C compiler here; build filter/ on another machine.")
        return
    sources = ["filter/filter.c", "filter/main.c"]
    subprocess.run([compiler, "-std=c99", "-O1", "-ffp-contract=off", *sources, "-o", "check", "-lm"], check=True)
    print(subprocess.run(["./check"], capture_output=True, text=True, check=True).stdout.strip())


if __name__ == "__main__":
    main()
