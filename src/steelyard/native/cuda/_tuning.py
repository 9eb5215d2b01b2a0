"""Numbers that tune generated CUDA."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class CudaTuning:
    """Of kernels."""

    block: int = 128
    """Threads a block: four warps, so that a step of 255 registers a thread still has two blocks on a
    multiprocessor."""
    tile: int = 32
    """Rows and columns of the tile of shared memory through which axes change their order: one warp."""


CUDA = CudaTuning()
