"""What a robot writes down each second, so that a process that is killed goes on where it was."""

import io
import os
import pickle
from pathlib import Path
from typing import Any

import msgspec

_VERSION = 1
_HARMLESS = {
    "builtins": {"complex", "set", "frozenset", "bytearray", "slice", "range", "object"},
    "collections": {"deque", "OrderedDict", "defaultdict", "Counter"},
    "copyreg": {"_reconstructor"},
    "numpy": {"ndarray", "dtype"},
    "numpy.core.multiarray": {"_reconstruct", "scalar"},
    "numpy._core.multiarray": {"_reconstruct", "scalar"},
    "numpy._core.numeric": {"_frombuffer"},
    "jaxlib._jax": {"ArrayImpl"},
    "jax._src.array": {"_reconstruct_array"},
}


class Checkpoint(msgspec.Struct, frozen=True, array_like=True):
    """A robot's memory."""

    version: int
    team: str
    robot: str
    agent: str
    """Kind of the agent whose state it is."""
    written: float
    """s, the robot's own clock."""
    offset: float
    """Team's time less the own clock, s."""
    start: float
    """Team's time of the first sample, s."""
    tick: int
    """Of the last sample."""
    heard: dict[str, tuple[int, int]]
    """By neighbour, the newest process and number: what is older is not heard again."""
    liars: tuple[str, ...]
    state: bytes


def write_checkpoint(path: Path, checkpoint: Checkpoint) -> None:
    """Whole or not at all, readable by its owner only."""
    draft = path.with_suffix(".draft")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(msgspec.msgpack.encode(checkpoint))
    draft.replace(path)


def read_checkpoint(path: Path, team: str, robot: str, agent: str) -> Checkpoint | None:
    """The last one; None where there is none that fits this robot."""
    try:
        found = msgspec.msgpack.decode(path.read_bytes(), type=Checkpoint)
    except (OSError, msgspec.DecodeError):
        return None
    fits = (found.version, found.team, found.robot, found.agent) == (_VERSION, team, robot, agent)
    return found if fits else None


def make_checkpoint(team: str, robot: str, agent: Any, **rest: Any) -> Checkpoint:
    """Of an agent whose state is `rest`'s."""
    return Checkpoint(version=_VERSION, team=team, robot=robot, agent=type(agent).__qualname__, **rest)


def close_state(state: Any) -> bytes:
    """An agent's state as it is now."""
    return pickle.dumps(state, protocol=5)


def open_state(data: bytes) -> Any | None:
    """An agent's state; None where it cannot be made out, as after a change of the package."""
    try:
        return _Careful(io.BytesIO(data)).load()
    except Exception:  # whatever an old or damaged state does: the neighbours know enough to start afresh
        return None


class _Careful(pickle.Unpickler):
    """Makes states of agents and arrays, and calls nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        if module == "steelyard" or module.startswith("steelyard."):
            return super().find_class(module, name)
        if name in _HARMLESS.get(module, ()):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"a checkpoint holds no {module}.{name}")
