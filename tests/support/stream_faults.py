"""Streams of multirotors with a fault from 5 to 7 s: when is doubt told, and when is the mass believed again?

    python tests/support/stream_faults.py [SEED]

Nine faults on three trajectories; a line each.
"""

import sys

import numpy as np

import steelyard as sy
from steelyard._jax import prepare_program

NOISE = {"position": 0.01, "attitude": 0.01, "linear_velocity": 0.03, "rates": 0.01, "thrust": 0.3}
SIGNALS = {"thrust": ("",), "attitude": "wxyz", "position": "xyz", "linear_velocity": "xyz", "rates": "xyz"}
BEGIN, END, DURATION = 5.0, 7.0, 13.0


def tilted(sample: dict, first: dict, chance: np.random.Generator) -> dict:
    """An attitude that is 10° off."""
    half = np.radians(5.0)
    w, v, u, x = sample["attitude"][0], sample["attitude"][1:], np.cos(half), np.array([np.sin(half), 0.0, 0.0])
    return sample | {"attitude": np.concatenate([[w * u - v @ x], w * x + u * v + np.cross(v, x)])}


def _outliers(sample: dict, first: dict, chance: np.random.Generator) -> dict:
    wild = 3.0 * chance.standard_normal(3) * (chance.random() < 0.2)
    return sample | {"linear_velocity": sample["linear_velocity"] + wild}


FAULTS = {
    "frozen velocity": lambda s, first, chance: s | {"linear_velocity": first["linear_velocity"]},
    "frozen attitude": lambda s, first, chance: s | {"attitude": first["attitude"]},
    "20 % outliers of the velocity": _outliers,
    "noisy position": lambda s, first, chance: s | {"position": s["position"] + 0.1 * chance.standard_normal(3)},
    "velocity offset": lambda s, first, chance: s | {"linear_velocity": s["linear_velocity"] + [0.5, 0.0, 0.0]},
    "rates in degrees": lambda s, first, chance: s | {"rates": np.degrees(s["rates"])},
    "attitude tilted": tilted,
    "noisy velocity": lambda s, first, chance: (
        s | {"linear_velocity": s["linear_velocity"] + 0.5 * chance.standard_normal(3)}
    ),
    "position jumps": lambda s, first, chance: s | {"position": s["position"] + [3.0, 0.0, 1.0]},
}


def flown(trajectory: str, seed: int) -> tuple[list[dict], float]:
    """The samples of a flight, and its mass."""
    log = sy.simulate("multirotor", duration=DURATION, seed=seed, trajectory=trajectory, profile="constant")
    names = {signal: [f"r1/{signal}/{axis}".rstrip("/") for axis in axes] for signal, axes in SIGNALS.items()}
    rows = [
        {"time": float(log.time[k])}
        | {signal: np.array([log.columns[column][k] for column in columns]) for signal, columns in names.items()}
        for k in range(len(log))
    ]
    mass = log.truth("mass")
    assert mass is not None
    return rows, float(mass[-1, 0])


def main() -> None:
    """Prints a line a flight."""
    prepare_program()
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    for trajectory in ("loop", "lemniscate", "hover"):
        rows, mass = flown(trajectory, seed)
        for name, fault in FAULTS.items():
            stream, chance, first = sy.stream("multirotor", {"noise": NOISE}), np.random.default_rng(seed), None
            doubted, off = [], 0.0
            for sample in rows:
                if BEGIN <= sample["time"] < END:
                    first = first or sample
                    sample = fault(sample, first, chance)
                one = stream.step(sample).estimates.mass
                if one.trust.reasons and sample["time"] >= BEGIN:
                    doubted.append(sample["time"])
                if one.value is not None and one.std is not None:
                    off = abs(float(one.value) - mass) / float(one.std)
            begin, end = "never", "at once"
            if doubted:
                begin = f"after {doubted[0] - BEGIN:.2f} s"
                last = doubted[-1] > rows[-1]["time"] - 0.1
                end = "never" if last else f"after {max(doubted[-1] - END, 0.0):.2f} s"
            print(f"{trajectory}, {name}: doubt {begin}, belief again {end}; {off:.1f} σ off at the end", flush=True)


if __name__ == "__main__":
    main()
