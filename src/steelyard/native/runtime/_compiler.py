"""Finds a C compiler, and keeps what it made: by content, in a folder that nobody else can write."""

import functools
import hashlib
import os
import platform
import shutil
import signal
import stat
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from steelyard._files import draft_folder, whole_file
from steelyard._jax import package_state, private_folder
from steelyard.native.runtime._tuning import TUNING

COMPILERS = ("cc", "gcc", "clang")
STRICT = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-ffp-contract=off")
FLAGS = (*STRICT, "-O3", "-fno-math-errno", "-fno-trapping-math", "-fno-tree-slp-vectorize")
"""No fast mathematics: the numbers are XLA's. Loops are written where they pay, so none is looked for elsewhere."""
HERE = ("-march=native", "--param", "max-completely-peel-times=8", "-Wno-unused-command-line-argument")
"""For code that stays on this machine; loops stay loops (gcc's own option for it, which clang ignores), because a
step that outgrows a processor's cache of instructions is slow."""
SHARED = ("-fPIC", "-shared", "-fvisibility=hidden")


class NoCompiler(Exception):
    """There is none here, or what it made cannot be used; the message says which."""


def find_compiler() -> str:
    """The path of a C compiler: `$CC`, else the first of `cc`, `gcc` and `clang`."""
    for name in (os.environ.get("CC"), *COMPILERS):
        if name and (path := shutil.which(name)):
            return path
    raise NoCompiler("there is no C compiler (cc, gcc or clang) on this machine")


def shared_library(source: str, flags: Sequence[str] = FLAGS) -> Path:
    """The path of a compiled source: from the cache where it is there and whole, else made now.

    An entry's name holds the hash of its own bytes, next to that of all that it was made from. One that was changed,
    cut short or belongs to somebody else is made again and never loaded.
    """
    compiler = find_compiler()
    given = "\0".join([source, compiler, _version(compiler, _changed(compiler)), _processor(), *flags, *SHARED])
    key = hashlib.sha256(given.encode()).hexdigest()[:32]
    folder = private_folder("native")
    for entry in sorted(folder.glob(f"{key}-*.so")):
        if _is_whole(entry):
            return entry
        entry.unlink(missing_ok=True)
    return _build(source, compiler, (*flags, *SHARED), folder, key)


def recalled_library(key: str, make: Callable[[], str], flags: Sequence[str] = FLAGS) -> Path:
    """The path of a compiled source that need not even be written, where the same key has been asked for before.

    The key stands for all that the source depends on outside this package; files of the package count by themselves.
    """
    compiler = find_compiler()
    parts = [key, package_state(), compiler, _version(compiler, _changed(compiler)), _processor(), *flags]
    note = private_folder("native") / f"{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:32]}.name"
    if note.is_file():
        entry = note.parent / Path(note.read_text(encoding="utf-8")).name
        if entry.suffix == ".so" and entry.is_file() and _is_whole(entry):
            return entry
    path = shared_library(make(), flags)
    with whole_file(note) as draft:
        draft.write_text(path.name, encoding="utf-8")
    return path


def _is_whole(entry: Path) -> bool:
    found = entry.lstat()
    if not stat.S_ISREG(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o022:
        return False
    return entry.stem.partition("-")[2] == _digest(entry)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:32]


def _build(source: str, compiler: str, flags: Sequence[str], folder: Path, key: str) -> Path:
    """In a folder of its own that goes away whatever happens; the result arrives by one atomic move."""
    with draft_folder(folder, "building") as room:
        (room / "step.c").write_text(source, encoding="utf-8")
        run_compiler([compiler, *flags, "step.c", "-o", "step.so", "-lm"], room)
        made = room / "step.so"
        made.chmod(0o700)
        return made.replace(folder / f"{key}-{_digest(made)}.so")


_SUPERVISED = """parent=$1; shift
"$@" & child=$!
(while kill -0 "$parent"; do sleep 0.5; done; kill -KILL 0) >/dev/null 2>&1 &
watcher=$!; wait "$child"; code=$?; kill "$watcher"; exit "$code"
"""
"""A compiler, and beside it a watcher that ends the whole group once this process is gone, by whatever signal."""


_HANGING: set[str] = set()
"""Compilers that this process has given up."""


def run_compiler(command: Sequence[str], room: Path) -> str:
    """Runs a compiler in a folder, its scratch files there too; what it printed.

    It is in a group of processes of its own, which ends with us: an interruption leaves neither files nor processes.
    One that takes too long is ended, and counts as none.
    """
    if command[0] in _HANGING:
        raise NoCompiler(f"{command[0]} did not finish before and is not asked again")
    environment = {**os.environ, "TMPDIR": str(room), "LC_ALL": "C"}
    with subprocess.Popen(
        ["/bin/sh", "-c", _SUPERVISED, "sh", str(os.getpid()), *command], cwd=room, env=environment,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
    ) as process:  # fmt: skip
        try:
            printed, _ = process.communicate(timeout=TUNING.longest_compilation)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            _HANGING.add(command[0])
            raise NoCompiler(
                f"{command[0]} had not finished after {TUNING.longest_compilation:g} s and was ended"
            ) from None
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    if process.returncode != 0:
        raise NoCompiler(f"{command[0]} failed: {' '.join(printed.split())[:300]}")
    return printed


@functools.cache
def _processor() -> str:
    """What this machine can do: code made for it is not for another one that shares its cache."""
    described = Path("/proc/cpuinfo")
    lines = described.read_text(encoding="utf-8", errors="replace").splitlines() if described.exists() else []
    return "\n".join(
        [*platform.uname()[::5], *sorted({line for line in lines if line.startswith(("flags", "Features"))})]
    )


@functools.cache
def _version(compiler: str, changed: int) -> str:
    del changed  # another compiler at the same path is asked again
    with draft_folder(private_folder("native"), "version") as room:
        return run_compiler([compiler, "--version"], room)


def _changed(compiler: str) -> int:
    return os.stat(compiler).st_mtime_ns
