"""The parts of a vector, a matrix or a pose, and what to call them."""

import dataclasses

import numpy as np

_AXES = {2: ("x", "y"), 3: ("x", "y", "z"), 7: ("x", "y", "z", "qw", "qx", "qy", "qz")}
# Where xx, yy, zz, xy, xz, yz, the order of a log's columns, stand in a symmetric 3 × 3 matrix.
_SYMMETRIC = np.array([[0, 3, 4], [3, 1, 5], [4, 5, 2]])
_UPPER = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


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
        shown = [(i, j) for i, j in _UPPER if j < shape[0]] if symmetric else every
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
        return samples[:, _SYMMETRIC]
    if samples[:1].size == np.prod(shape, dtype=int) and len(samples):
        return samples.reshape(len(samples), *shape)
    return None
