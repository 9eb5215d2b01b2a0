"""Finds a C compiler, and keeps what it made: by content, in a folder that nobody else can write."""

import functools
import hashlib
import os
import platform
import shutil
import signal
import stat
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import jax

from steelyard._jax import cache_folder

COMPILERS = ("cc", "gcc", "clang")
STRICT = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-ffp-contract=off")
FLAGS = (*STRICT, "-O3", "-fno-math-errno", "-fno-trapping-math", "-fno-tree-slp-vectorize")
"""No fast mathematics: the numbers are XLA's. Loops are written where they pay, so none is looked for elsewhere."""
HERE = ("-march=native", "--param", "max-completely-peel-times=8", "-Wno-unused-command-line-argument")
"""For code that stays on this machine; loops stay loops (gcc's own word for it, which clang passes over), because a
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
    folder = private_folder()
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
    note = private_folder() / f"{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:32]}.name"
    if note.is_file():
        entry = note.parent / Path(note.read_text(encoding="utf-8")).name
        if entry.suffix == ".so" and entry.is_file() and _is_whole(entry):
            return entry
    path = shared_library(make(), flags)
    draft = note.with_suffix(f".{os.getpid()}")
    draft.write_text(path.name, encoding="utf-8")
    draft.replace(note)
    return path


@functools.cache
def package_state() -> str:
    """Something that changes with any file of this package."""
    files = sorted(Path(__file__).parents[1].rglob("*.py"))
    told = [f"{path} {path.stat().st_mtime_ns} {path.stat().st_size}" for path in files]
    return "\n".join([jax.__version__, *told])


def private_folder(name: str = "native") -> Path:
    """A folder of the cache: ours, mode 0700, and below no folder that others can write; else one for this process."""
    folder = cache_folder() / name
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if folder.lstat().st_uid == os.getuid() and not folder.is_symlink():
            folder.chmod(0o700)
    except OSError:
        return _own_folder()
    return folder if is_private(folder) else _own_folder()


def is_private(folder: Path) -> bool:
    """Whether only this user, and root, can put a file there, or put another folder in its place."""
    own = folder.lstat()
    if not stat.S_ISDIR(own.st_mode) or own.st_uid != os.getuid() or own.st_mode & 0o077:
        return False
    for parent in folder.resolve().parents:
        found = parent.stat()
        sticky = bool(found.st_mode & stat.S_ISVTX)  # others may add files there, but not move ours
        if found.st_uid not in (0, os.getuid()) or (found.st_mode & 0o022 and not sticky):
            return False
    return True


@functools.cache
def _own_folder() -> Path:
    import atexit

    folder = Path(tempfile.mkdtemp(prefix="steelyard-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _is_whole(entry: Path) -> bool:
    found = entry.lstat()
    if not stat.S_ISREG(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o022:
        return False
    return entry.stem.partition("-")[2] == _digest(entry)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:32]


def _build(source: str, compiler: str, flags: Sequence[str], folder: Path, key: str) -> Path:
    """In a folder of its own that goes away whatever happens; the result arrives by one atomic move."""
    with tempfile.TemporaryDirectory(prefix=".building-", dir=folder) as name:
        room = Path(name)
        (room / "step.c").write_text(source, encoding="utf-8")
        run_compiler([compiler, *flags, "step.c", "-o", "step.so", "-lm"], room)
        made = room / "step.so"
        made.chmod(0o700)
        return made.replace(folder / f"{key}-{_digest(made)}.so")


def run_compiler(command: Sequence[str], room: Path) -> str:
    """Runs a compiler in a folder, its scratch files there too; what it printed.

    It is the head of a group of processes, which ends with us: an interruption leaves neither files nor processes.
    """
    environment = {**os.environ, "TMPDIR": str(room), "LC_ALL": "C"}
    with subprocess.Popen(
        command, cwd=room, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        start_new_session=True,
    ) as process:  # fmt: skip
        try:
            said, _ = process.communicate()
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    if process.returncode != 0:
        raise NoCompiler(f"{command[0]} failed: {' '.join(said.split())[:300]}")
    return said


@functools.cache
def _processor() -> str:
    """What this machine can do: code made for it is not for another one that shares its cache."""
    told = Path("/proc/cpuinfo")
    lines = told.read_text(encoding="utf-8", errors="replace").splitlines() if told.exists() else []
    return "\n".join(
        [*platform.uname()[::5], *sorted({line for line in lines if line.startswith(("flags", "Features"))})]
    )


@functools.cache
def _version(compiler: str, changed: int) -> str:
    del changed  # another compiler at the same path is asked again
    done = subprocess.run([compiler, "--version"], capture_output=True, text=True)
    return done.stdout


def _changed(compiler: str) -> int:
    return os.stat(compiler).st_mtime_ns
