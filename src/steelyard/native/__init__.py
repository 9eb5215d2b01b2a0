"""How does a step run on bare metal? C from a jaxpr: emitted, compiled, cached, loaded, exported."""

from steelyard import _jax as _jax

from .c import Code as Code
from .c import Exported as Exported
from .c import emit as emit
from .c import export as export
from .c import not_measured as not_measured
from .cuda import KernelUse as KernelUse
from .cuda import cuda_campaign as cuda_campaign
from .cuda import cuda_drawn_campaign as cuda_drawn_campaign
from .cuda import cuda_pays as cuda_pays
from .cuda import kernel_source as kernel_source
from .cuda import kernel_use as kernel_use
from .runtime import FLAGS as FLAGS
from .runtime import HERE as HERE
from .runtime import Loaded as Loaded
from .runtime import NoCompiler as NoCompiler
from .runtime import NoCompilerWarning as NoCompilerWarning
from .runtime import Online as Online
from .runtime import PackedStep as PackedStep
from .runtime import can_compile as can_compile
from .runtime import find_compiler as find_compiler
from .runtime import is_compiled as is_compiled
from .runtime import load as load
from .runtime import load_run as load_run
from .runtime import native_campaign as native_campaign
from .runtime import native_drawn_campaign as native_drawn_campaign
from .runtime import native_replay as native_replay
