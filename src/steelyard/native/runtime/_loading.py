"""A compiled step as a Python function of NumPy vectors: no copies, and little more than the call itself."""

import ctypes
import dataclasses
from collections.abc import Callable
from pathlib import Path

from steelyard.native.c._emit import Code
from steelyard.native.c._python_binding import can_run, library_source
from steelyard.native.runtime._compiler import FLAGS, HERE, NoCompiler, recalled_library, shared_library

_METH_FASTCALL = 0x0080


class _Method(ctypes.Structure):
    """CPython's `PyMethodDef`."""

    _fields_ = (("name", ctypes.c_char_p), ("call", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p))


@dataclasses.dataclass(frozen=True, eq=False)
class Loaded:
    """A step in machine code. Vectors are contiguous, of the step's float type and of the layouts' sizes."""

    code: Code
    call: Callable[..., None]
    """`call(*arguments, out)`; `out` may be one of the arguments."""
    run: Callable[..., None] | None
    """`run(state, samples, states)`: many rows, the state changed in place, every state stored or, where `states` is
    empty, none. Only where the step takes a state and a sample and gives the next state."""


def load(code: Code, flags: tuple[str, ...] = (*FLAGS, *HERE)) -> Loaded:
    """Compiles, or finds in the cache, and loads."""
    library = _opened(shared_library(library_source(code), flags))
    return Loaded(code, _function(library, "call"), _function(library, "run") if can_run(code) else None)


def load_run(key: str, make: Callable[[], Code], flags: tuple[str, ...] = (*FLAGS, *HERE)) -> Callable[..., None]:
    """A step's `run`, see `Loaded`; where the same key has been asked for before, without tracing it again.

    The key stands for whatever the code depends on beside this package's files.
    """
    library = _opened(recalled_library(key, lambda: library_source(make()), flags))
    return _function(library, "run")


def _opened(path: Path) -> ctypes.PyDLL:
    try:
        return ctypes.PyDLL(str(path))
    except OSError as error:
        raise NoCompiler(f"{path} cannot be loaded: {error}") from None


def _function(library: ctypes.PyDLL, name: str) -> Callable[..., None]:
    method = _Method(name.encode(), ctypes.cast(getattr(library, name), ctypes.c_void_p), _METH_FASTCALL, None)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.POINTER(_Method), ctypes.py_object, ctypes.c_void_p]
    return make(ctypes.byref(method), (library, method), None)  # the function keeps what it needs
