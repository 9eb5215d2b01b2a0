"""Stage 5: a campaign on a GPU, one thread a flight; needs CuPy and a driver, no toolkit."""

from ._device import KernelUse as KernelUse
from ._device import cuda_campaign as cuda_campaign
from ._device import cuda_drawn_campaign as cuda_drawn_campaign
from ._device import cuda_pays as cuda_pays
from ._device import kernel_use as kernel_use
from ._device import the_cupy as the_cupy
from ._source import kernel_source as kernel_source
