"""What a motion cannot tell: a status and a reason instead of a number.

A load that is held still shows no difference between its weight and an offset of the force sensor, and nothing of its
inertia. Such quantities have no value. Their status is `not-identifiable`, and the verdict says what to move. A program
asks for the status before it uses a value.

Usage:
    python examples/06_what_cannot_be_known.py
"""

import steelyard as sy


def main():
    for motion in ("still", "gentle"):
        log = sy.simulate("wrist", duration=8.0, motion=motion, seed=1)
        found = sy.identify(log, "rigid-body")
        print(f"{motion}:")
        for name in ("mass", "com", "inertia"):
            estimate = found["r1"][name]
            if estimate.status == "known":
                print(f"  {name}: {estimate.value.round(4).tolist()} {estimate.unit}")
            else:
                print(f"  {name}: {estimate.status}: {estimate.reason}")
        print(f"  {found.verdict}")


if __name__ == "__main__":
    main()
