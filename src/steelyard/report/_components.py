"""The parts of a vector, a matrix or a pose, and what to call them."""

import dataclasses

import numpy as np

from steelyard.geometry import MOMENT_ENTRIES, MOMENT_PLACES

_AXES = {2: ("x", "y"), 3: ("x", "y", "z"), 7: ("x", "y", "z", "qw", "qx", "qy", "qz")}


@dataclasses.dataclass(frozen=True)
class Component:
    """One number of a quantity."""

    label: str
    """`x`, `xy`, `3`, …; empty for a scalar."""
    index: tuple[int, ...]


def components(samples: np.ndarray) -> list[Component]:
    """What to show of samples (n, …): of a symmetric matrix one half, of everything else all."""
    shape = samples.shape[1:]
    if shape in ((2, 2), (3, 3)):
        axes = _AXES[shape[0]]
        symmetric = np.allclose(samples, np.swapaxes(samples, 1, 2), rtol=1e-6, atol=0.0, equal_nan=True)
        every = [(i, j) for i in range(shape[0]) for j in range(shape[0])]
        shown = [(i, j) for i, j in MOMENT_ENTRIES if j < shape[0]] if symmetric else every
        return [Component(axes[i] + axes[j], (i, j)) for i, j in shown]
    if len(shape) == 1:
        axes = _AXES.get(shape[0], tuple(str(i + 1) for i in range(shape[0])))
        return [Component(axis, (i,)) for i, axis in enumerate(axes)]
    return [Component(",".join(str(i + 1) for i in index), index) for index in np.ndindex(shape)]


def in_shape(samples: np.ndarray, shape: tuple[int, ...]) -> np.ndarray | None:
    """Samples (n, …) as (n, *shape); None where they are not of that kind.

    A log writes a scalar as (n, 1) and an inertia as its six components.
    """
    if samples.shape[1:] == shape:
        return samples
    if shape == (3, 3) and samples.shape[1:] == (6,):
        return samples[:, np.array(MOMENT_PLACES)]
    if samples[:1].size == np.prod(shape, dtype=int) and len(samples):
        return samples.reshape(len(samples), *shape)
    return None
