"""Which motion would tell more?

Before anybody moves, the Cramér-Rao bound of a motion says how well each quantity can be known at best. `sy.plan`
computes it for the scenario's own forces and looks for better ones within the same limit.

Usage:
    python examples/10_plan_a_motion.py
"""

import steelyard as sy
from steelyard.logs import Log, write


def main():
    motions = sy.plan("planar", robots=3, duration=1.5, seed=1)
    for motion in motions:
        print(
            f"{motion.name}: mass to {100 * motion.mass:.2g} %, inertia to {100 * motion.inertia:.2g} % (one deviation)"
        )
        print(f"  {motion.verdict}")
    better = motions[-1]
    write(Log(better.time, better.columns(), "plan"), "forces.csv")


if __name__ == "__main__":
    main()
