"""Values of our own classes as MessagePack, and back: data only, so that reading a file can run no code.

A file names classes by a tag. The reader looks the tag up among the classes that it was given and imports nothing;
instances are made without calling their constructors. Road not taken: `pickle`, which resolves dotted names, so that a
file decides what is called.
"""

import enum
import functools
import hashlib
import importlib
import inspect
import pkgutil
import sys
from collections import OrderedDict, deque
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
import numpy as np

_FORMAT = 1
_NUMERIC = "biufc"
"""Kinds of NumPy types that are written: no objects, no text."""
_CONTAINERS = {"tuple": tuple, "list": list, "set": set, "frozenset": frozenset, "deque": deque}
_TABLES = {"dict": dict, "ordered": OrderedDict}
_TAGS = {kind: tag for tag, kind in (_CONTAINERS | _TABLES).items()}

Classes = Mapping[str, type]
"""By tag, the classes whose instances may be written and read."""


class NotOurs(ValueError):
    """These bytes hold no value that this code has written; the message says why, as the end of a sentence."""


@functools.cache
def classes_in(*packages: str) -> Classes:
    """The classes that packages of ours define, in all their modules, which are loaded for it; no exceptions."""
    found: dict[str, type] = {}
    for package in packages:
        top = importlib.import_module(package)
        below = [one.name for one in pkgutil.walk_packages(top.__path__, f"{package}.") if "__main__" not in one.name]
        for name in (package, *below):
            own = (one for one in vars(importlib.import_module(name)).values() if inspect.isclass(one))
            mine = (one for one in own if one.__module__ == name and not issubclass(one, BaseException))
            found |= {tag_of(one): one for one in mine}
    return MappingProxyType(found)


def tag_of(kind: type) -> str:
    """The name by which a file calls a class."""
    return f"{kind.__module__}:{kind.__qualname__}"


def fingerprint(classes: Classes) -> str:
    """Changes with any change of the modules that define the classes: values of older code are not read."""
    digest = hashlib.sha256(f"{_FORMAT} {msgspec.__version__} {np.__version__}".encode())
    for name in sorted({kind.__module__ for kind in classes.values()}):
        file = getattr(sys.modules[name], "__file__", None)
        digest.update(name.encode())
        digest.update(Path(file).read_bytes() if file else b"")
    return digest.hexdigest()


def encode(value: Any, classes: Classes) -> bytes:
    """A value as bytes; TypeError where it holds something that is neither data nor of these classes."""
    return msgspec.msgpack.encode([_FORMAT, _Writer(classes).written(value)])


def decode(data: bytes, classes: Classes) -> Any:
    """What `encode` wrote; `NotOurs` for any other bytes."""
    try:
        version, content = msgspec.msgpack.decode(data, type=tuple[int, Any])
    except (msgspec.DecodeError, RecursionError) as error:
        raise NotOurs(f"it is damaged or in another format ({error})") from None
    if version != _FORMAT:
        raise NotOurs(f"it is in format {version}, and this is format {_FORMAT}")
    try:
        return _Reader(classes).read(content)
    except NotOurs:
        raise
    except (TypeError, ValueError, KeyError, IndexError, AttributeError, RecursionError, OverflowError) as error:
        raise NotOurs(f"it is damaged ({type(error).__name__}: {error})") from None


class _Writer:
    """Scalars are written as they are; all else as a list that begins with a tag.

    Whatever can be shared is numbered, and a second reference to it is written as `["again", number]`.
    """

    def __init__(self, classes: Classes):
        self._classes = classes
        self._numbers: dict[int, int] = {}
        self._keep: list[Any] = []  # an id is that of one object only while the object is there

    def written(self, value: Any) -> Any:
        if value is None or type(value) in (bool, int, float, str, bytes):
            return value
        if type(value) is complex:
            return ["complex", value.real, value.imag]
        if isinstance(value, np.generic):
            return ["scalar", _dtype(value), value.tobytes()]
        if id(value) in self._numbers:
            return ["again", self._numbers[id(value)]]
        self._numbers[id(value)] = len(self._keep)
        self._keep.append(value)
        return self._shared(value)

    def _shared(self, value: Any) -> Any:
        kind = type(value)
        if isinstance(value, np.ndarray):
            order = "C" if value.flags.c_contiguous or not value.flags.f_contiguous else "F"
            return ["array", _dtype(value), list(value.shape), order, value.tobytes(order)]
        if kind in (tuple, list, set, frozenset, deque):
            length = [value.maxlen] if kind is deque else []
            # A set's order depends on its history; equal values are to be equal bytes.
            members = sorted(value, key=repr) if kind in (set, frozenset) else value
            return [_TAGS[kind], *length, *map(self.written, members)]
        if kind in (dict, OrderedDict):
            return [_TAGS[kind], *(self.written(part) for pair in value.items() for part in pair)]
        tag = tag_of(kind)
        if self._classes.get(tag) is kind:
            if isinstance(value, enum.Enum):
                return ["enum", tag, value.name]
            if isinstance(value, tuple):
                return ["named", tag, *map(self.written, value)]
            return ["object", tag, *(part for name, one in _fields(value) for part in (name, self.written(one)))]
        if kind.__module__.startswith("jax"):
            found = np.asarray(value)
            return ["jax", _dtype(found), list(found.shape), "C", found.tobytes()]
        raise TypeError(f"{kind.__module__}.{kind.__qualname__} is not among the classes that are written")


def _dtype(value: Any) -> str:
    if value.dtype.kind not in _NUMERIC:
        raise TypeError(f"arrays of {value.dtype} are not written")
    return value.dtype.str


def _fields(value: Any) -> list[tuple[str, Any]]:
    """All attributes that an instance has, however its class keeps them."""
    if isinstance(value, msgspec.Struct):
        return [(name, getattr(value, name)) for name in value.__struct_fields__]
    names = [name for kind in type(value).__mro__ for name in _slots(kind)]
    found = [(name, getattr(value, name)) for name in names if hasattr(value, name)]
    return found + list(getattr(value, "__dict__", {}).items())


def _slots(kind: type) -> tuple[str, ...]:
    slots = kind.__dict__.get("__slots__", ())
    return tuple(name for name in ((slots,) if isinstance(slots, str) else slots) if not name.startswith("__"))


class _Reader:
    """The other direction; numbers are given in the same order."""

    def __init__(self, classes: Classes):
        self._classes = classes
        self._made: list[Any] = []

    def read(self, written: Any) -> Any:
        if not isinstance(written, list):
            return written
        tag, *parts = written
        if tag == "complex":
            return complex(*parts)
        if tag == "scalar":
            return np.frombuffer(parts[1], self._type(parts[0]), 1)[0]
        if tag == "again":
            found = self._made[parts[0]]
            if found is self:
                raise NotOurs("it is damaged (a value holds itself)")
            return found
        number = len(self._made)
        self._made.append(self)  # until it is made, or the table that is filled below
        made = self._shared(tag, parts, number)
        self._made[number] = made
        return made

    def _shared(self, tag: str, parts: list[Any], number: int) -> Any:
        if tag in ("array", "jax"):
            dtype, shape, order, data = parts
            array = np.frombuffer(data, self._type(dtype)).reshape(shape, order=order).copy(order="K")
            return array if tag == "array" else _jax_array(array)
        if tag == "deque":
            return deque(map(self.read, parts[1:]), parts[0])
        if tag in _CONTAINERS:
            return _CONTAINERS[tag](map(self.read, parts))
        if tag in _TABLES:
            read = list(map(self.read, parts))
            return _TABLES[tag](zip(read[::2], read[1::2], strict=True))
        if tag not in ("enum", "named", "object"):
            raise NotOurs(f"it holds {tag!r}, which is no kind of value")
        name, *rest = parts
        kind = self._classes.get(name)
        if kind is None:
            raise NotOurs(f"it names {name!r}, which is none of the classes that are read")
        if tag == "enum":
            return kind[rest[0]]  # type: ignore[index]  # an Enum by its name
        if tag == "named":
            return tuple.__new__(kind, map(self.read, rest))
        if issubclass(kind, tuple | enum.Enum):
            raise NotOurs(f"it holds {name!r} as what it is not")
        return self._object(kind, rest, number)

    def _object(self, kind: type, parts: list[Any], number: int) -> Any:
        if issubclass(kind, msgspec.Struct):
            fields = {name: self.read(one) for name, one in zip(parts[::2], parts[1::2], strict=True)}
            if set(fields) != set(kind.__struct_fields__):
                raise NotOurs(f"{kind.__qualname__} has other fields now")
            return kind(**fields)
        made = self._made[number] = object.__new__(kind)
        for name, one in zip(parts[::2], parts[1::2], strict=True):
            if not isinstance(name, str) or name.startswith("__"):
                raise NotOurs(f"it has an attribute {name!r}")
            object.__setattr__(made, name, self.read(one))
        return made

    @staticmethod
    def _type(dtype: str) -> np.dtype:
        found = np.dtype(dtype)
        if found.kind not in _NUMERIC:
            raise NotOurs(f"it holds an array of {found}")
        return found


def _jax_array(array: np.ndarray) -> Any:
    import jax.numpy

    return jax.numpy.asarray(array)
