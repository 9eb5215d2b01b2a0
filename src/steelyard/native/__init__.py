"""How does a step run on bare metal? C from a jaxpr: emitted, compiled, cached, loaded, exported."""

from steelyard import _jax as _jax

from .c import Code as Code
from .c import Exported as Exported
from .c import emit as emit
from .c import export as export
from .runtime import FLAGS as FLAGS
from .runtime import HERE as HERE
from .runtime import Loaded as Loaded
from .runtime import NoCompiler as NoCompiler
from .runtime import NoCompilerWarning as NoCompilerWarning
from .runtime import Online as Online
from .runtime import PackedStep as PackedStep
from .runtime import find_compiler as find_compiler
from .runtime import load as load
from .runtime import load_run as load_run
