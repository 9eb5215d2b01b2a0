"""How JAX is set up here; every numerical room imports this before it touches an array."""

import atexit
import contextlib
import functools
import os
import shutil
import tempfile
from pathlib import Path

import jax

from steelyard._files import draft_prefix, is_private, remove, remove_abandoned

jax.config.update("jax_enable_x64", True)  # float64 by default: a covariance in float32 loses definiteness


_WHOLE_LOOPS = "xla_cpu_small_while_loop_byte_threshold=1000000"
_ENTRY = "entry"  # what drafts of compiled programs are called


def cache_folder() -> Path:
    """Where compiled code is kept between runs: `$STEELYARD_CACHE`, else the user's cache folder."""
    if own := os.environ.get("STEELYARD_CACHE"):
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "steelyard"


def private_folder(name: str) -> Path:
    """A folder of the cache: ours, mode 0700, and below no folder that others can write; else one for this process.

    Compiled code is loaded from there, so nobody else may put any there.
    """
    folder = cache_folder() / name
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if folder.lstat().st_uid == os.getuid() and not folder.is_symlink():
            folder.chmod(0o700)
        private = is_private(folder)
    except OSError:
        private = False
    return folder if private else _own_folder(name)


@functools.cache
def package_state() -> str:
    """Something that changes with any file of this package."""
    files = sorted(Path(__file__).parent.rglob("*.py"))
    found = [f"{path} {path.stat().st_mtime_ns} {path.stat().st_size}" for path in files]
    return "\n".join([jax.__version__, *found])


@functools.cache
def _own_folder(name: str) -> Path:
    folder = Path(tempfile.mkdtemp(prefix=f"steelyard-{name}-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def prepare_program(remember: bool = True) -> None:
    """What a program (the command line, an agent, the tests) sets before its first array.

    A library that is merely imported does none of it: it writes no files and leaves other people's settings alone.
    Compiled programs are kept on disk, so that the second start of a command is quick, unless the user has chosen a
    JAX cache already. Dispatch is synchronous: a filter's step is read back at once, so a thread between the two only
    costs time. And loops whose state is smaller than a megabyte are compiled whole, not as a list of calls: a replay is
    then about three times faster (XLA does so up to a kilobyte; a filter's belief is a little larger).
    """
    flags = os.environ.get("XLA_FLAGS", "")
    if "xla_backend_extra_options" not in flags:
        os.environ["XLA_FLAGS"] = f"{flags} --xla_backend_extra_options={_WHOLE_LOOPS}".strip()
    jax.config.update("jax_cpu_enable_async_dispatch", False)
    if not remember or os.environ.get("JAX_COMPILATION_CACHE_DIR"):
        return
    folder = private_folder("xla")
    remove_abandoned(folder, _ENTRY)
    _write_whole_entries()
    jax.config.update("jax_compilation_cache_dir", str(folder))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)


@functools.cache
def _write_whole_entries() -> None:
    """JAX's cache moves each entry into place when it is complete, and replaces one that is there.

    JAX writes it in place. A second process may then read half of it and warn, and half an entry that a killed process
    has left stays for ever. The class is no public part of JAX: a version without it keeps its own way.
    """
    try:
        from jax._src.lru_cache import LRUCache
    except ImportError:
        return
    written_by_jax = LRUCache.put

    def put(self: LRUCache, key: str, value: bytes) -> None:
        if self.eviction_enabled:  # a limit of the size is the user's choice, and comes with a lock
            written_by_jax(self, key, value)
            return
        folder = Path(str(self.path))
        with contextlib.suppress(OSError):  # without an entry the program is compiled again
            handle, draft = tempfile.mkstemp(prefix=draft_prefix(_ENTRY), dir=folder)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(value)
                os.replace(draft, folder / f"{key}-cache")
            finally:
                remove(Path(draft))

    LRUCache.put = put
