"""What you know about your sensors belongs into the configuration.

Noise that is not stated is estimated from the log. Offsets and biases of a wrist are estimated unless the configuration
says that there are none. The same log is read three times: with nothing stated, with the noise, and with calibrated
and tared sensors; the interval of the mass shrinks with what is known.

Usage:
    python examples/07_state_your_sensors.py
"""

import steelyard as sy

NOISE = {
    "wrench_force": 0.05, "wrench_torque": 0.003, "twist_angular": 0.002, "twist_linear": 0.005, "specific_force": 0.02,
}  # fmt: skip
"""One standard deviation an axis: N, N m, rad/s, m/s, m/s². A key is a signal's name with `_` for `/`."""


def main():
    log = sy.simulate("wrist", duration=6.0, seed=3)
    for words, config in (
        ("nothing stated", {}),
        ("noise stated", {"noise": NOISE}),
        ("noise stated, tared and calibrated", {"noise": NOISE, "wrist": {"tared": True, "calibrated": True}}),
    ):
        found = sy.identify(log, "rigid-body", config)
        mass = found["r1"].mass
        print(f"{words}: {mass.value:.4f} ± {1.96 * float(mass.std):.4f} kg, {len(found['r1'])} quantities")


if __name__ == "__main__":
    main()
