"""Stage 4: compile, cache, load and call."""

from ._campaign import can_compile as can_compile
from ._campaign import is_compiled as is_compiled
from ._campaign import native_campaign as native_campaign
from ._campaign import native_drawn_campaign as native_drawn_campaign
from ._campaign import native_replay as native_replay
from ._compiler import FLAGS as FLAGS
from ._compiler import HERE as HERE
from ._compiler import NoCompiler as NoCompiler
from ._compiler import find_compiler as find_compiler
from ._loading import Loaded as Loaded
from ._loading import load as load
from ._loading import load_run as load_run
from ._online import Online as Online
from ._packed_step import NoCompilerWarning as NoCompilerWarning
from ._packed_step import PackedStep as PackedStep
