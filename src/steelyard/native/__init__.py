"""How does a step run on bare metal? C from a jaxpr: emitted, compiled, cached, loaded, exported."""

from steelyard import _jax as _jax

from ._compile import FLAGS as FLAGS
from ._compile import HERE as HERE
from ._compile import NoCompiler as NoCompiler
from ._compile import find_compiler as find_compiler
from ._compile import package_state as package_state
from ._compile import private_folder as private_folder
from ._emit import Code as Code
from ._emit import emit as emit
from ._export import Exported as Exported
from ._export import export as export
from ._load import Loaded as Loaded
from ._load import load as load
from ._load import load_run as load_run
from ._online import Online as Online
