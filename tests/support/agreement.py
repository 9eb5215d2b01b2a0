"""Native code against XLA over random steps, for every estimator of the registry.

`python tests/support/agreement.py [STEPS] [CASES…]` does 10,000 steps of each; the tests do fewer.
"""

import dataclasses
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import jax
import jax.numpy as jnp
import numpy as np
import registry

from steelyard.estimators import Packing
from steelyard.native import emit, load

HASTY = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}
REASON = 1e30
"""A belief with larger numbers has lost its mind; whether its next step overflows is a matter of order."""
LIFE = registry.ROWS
"""Rows after which a belief starts anew."""


@dataclasses.dataclass(frozen=True)
class Agreement:
    """How two ways to step compare."""

    error: float
    """The largest difference, of any number of the belief, over the largest of its kind in the run."""
    flags_differ: int
    """Steps in which an integer, a flag, or where a number is not finite came out differently."""
    steps: int
    """That were compared."""


def random_rows(samples, steps: int, rng: np.random.Generator):
    """A log again and again, each time disturbed otherwise: silent channels, absurd readings, wrong times."""
    leaves, structure = jax.tree.flatten(samples)
    rows = np.arange(steps) % leaves[0].shape[0]
    drawn = []
    first_reading = len(leaves) - len(jax.tree.leaves(samples.measurement))
    for place, leaf in enumerate(leaves):
        values = np.asarray(leaf, float)[rows]
        values = values * (1 + 0.003 * rng.standard_normal(values.shape))
        each = (steps,) + (1,) * (values.ndim - 1)
        for share, value in ((0.05, np.nan), (0.005, np.inf), (0.005 * (place >= first_reading), 30.0)):
            values = np.where(rng.uniform(size=each) < share, value, values)
        drawn.append(values)
    drawn[0] = np.where(rng.uniform(size=steps) < 0.01, -drawn[0], drawn[0])  # time goes back
    return structure.unflatten([jnp.asarray(leaf) for leaf in drawn])


def agreement(name: str, steps: int, flags: tuple[str, ...], hasty: bool = False, seed: int = 0) -> Agreement:
    """Steps along XLA's beliefs, each taken again by native code; where hasty, XLA compiles without optimisation."""
    case = registry.build(name)
    estimator, start = case.estimator, case.estimator.init(case.guess)
    samples = random_rows(case.samples, steps, np.random.default_rng(seed))
    code = emit(estimator.step, (start, case.sample(0)), symmetric=("covariance",))
    call = load(code, flags).call
    beliefs = Packing(start)
    given = np.concatenate([np.asarray(leaf).reshape(steps, -1) for leaf in jax.tree.leaves(samples)], axis=1)

    def follow(start, life):
        def step(belief, sample):
            belief = estimator.step(belief, sample)
            return belief, beliefs.pack(belief)

        return jax.lax.scan(step, start, life)[1]

    follow = jax.jit(follow, compiler_options=HASTY if hasty else None)
    first, before, after = beliefs.pack_numpy(start), [], []
    for begin in range(0, steps, LIFE):
        life = jax.tree.map(lambda leaf, b=begin: leaf[b : b + LIFE], samples)
        kept = np.asarray(follow(start, life))
        before += [first, *kept[:-1]]
        after += [*kept]
    ours = np.empty((steps, beliefs.size))
    for k in range(steps):
        call(np.ascontiguousarray(before[k]), given[k], ours[k])
    sane = np.nanmax(np.where(np.isfinite(before), np.abs(before), 0.0), axis=1) < REASON
    return _compared(code, ours[sane], np.stack(after)[sane])


def _compared(code, ours: np.ndarray, theirs: np.ndarray) -> Agreement:
    error, differ = 0.0, np.zeros(len(ours), bool)
    found = [theirs[:, leaf.offset] for leaf in code.result.leaves if leaf.name.endswith("change/found")]
    for leaf in code.result.leaves:
        if "change/" in leaf.name and not leaf.name.endswith(("found", "log_ratio")):
            # Which of several changes, all as unlikely, comes first is a matter of the last digit.
            ours = ours.copy()
            ours[found[0] == 0, leaf.offset] = theirs[found[0] == 0, leaf.offset]
        a, b = (both[:, leaf.offset : leaf.offset + leaf.size] for both in (ours, theirs))
        finite = np.isfinite(b)
        if leaf.dtype.kind != "f":
            differ |= np.any(a != b, axis=1)
            continue
        differ |= np.any(np.where(finite, ~np.isfinite(a), (np.isnan(a) != np.isnan(b)) | (~np.isnan(b) & (a != b))), 1)
        both = finite & np.isfinite(a)
        if np.any(both):
            error = max(error, np.max(np.abs(a - b)[both]) / max(np.max(np.abs(b)[both]), 1e-300))
    return Agreement(error, int(differ.sum()), len(ours))


if __name__ == "__main__":
    from steelyard._jax import prepare_program

    prepare_program()
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    for each in sys.argv[2:] or registry.CASES:
        from steelyard.native import FLAGS

        told = agreement(each, wanted, FLAGS)
        print(f"{each:26} {told.steps} steps  error {told.error:.1e}  flags differ {told.flags_differ}", flush=True)
