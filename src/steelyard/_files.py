"""Output files that are either whole or absent, and folders that only their owner can write."""

import contextlib
import os
import platform
import re
import shutil
import stat
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from steelyard.errors import BadInput

_UNFINISHED: set[Path] = set()
"""Drafts of this process; see `remove_unfinished`."""


def check_output(path: str | Path) -> Path:
    """The path, if a file can be written there; commands ask before the work begins, not after it.

    Drafts that a killed process has left for the same file are removed.
    """
    path = Path(path)
    if not path.parent.is_dir():
        raise BadInput(f"{path}: the folder {path.parent} does not exist; create it or choose another output.")
    if path.is_dir():
        raise BadInput(f"{path} is a folder; give the name of a file to write.")
    remove_abandoned(path.parent, path.stem)
    _made_draft(path).unlink()  # whether it can be made depends on more than its folder's mode
    return path


def check_outputs(outputs: Iterable[str | Path | None], inputs: Iterable[str | Path | None] = ()) -> None:
    """The same for all files of a command: none is one that it reads, and no two are one."""
    taken = {Path(one).resolve(): "is read by this command" for one in inputs if one is not None}
    for path in (Path(one) for one in outputs if one is not None):
        if path.resolve() in taken:
            raise BadInput(f"{path} {taken[path.resolve()]}; choose another output.")
        taken[path.resolve()] = "is asked for twice"
        check_output(path)


def check_output_folder(folder: str | Path) -> Path:
    """The folder, if files can be written to it, or it can be made."""
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder} is a file; give the name of a folder to write.")
    check_output((folder if folder.exists() else _existing(folder)) / "output")
    return folder


def make_folder(folder: str | Path) -> Path:
    """Makes a folder, with its parents, that others can read but not write; `BadInput` where that fails."""
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o755)
    except OSError as error:
        raise BadInput(f"{folder} cannot be made ({error.strerror}); choose another folder.") from None
    return folder


@contextmanager
def whole_file(path: str | Path) -> Iterator[Path]:
    """Yields a temporary path beside `path`; moves it into place only when the block ends well.

    An exception or an interruption inside the block leaves whatever was at `path` untouched and no debris. A full disk
    or a folder that has vanished is a `BadInput`.
    """
    path = check_output(path)
    draft = _made_draft(path)
    try:
        yield draft
        draft.chmod(0o666 & ~_umask())
        draft.replace(path)
    except OSError as error:
        raise BadInput(f"{path} cannot be written ({error.strerror or error}); choose another output.") from None
    finally:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
        _UNFINISHED.discard(draft)


def write_text(path: str | Path, text: str) -> None:
    """The text as a file, whole or not at all."""
    with whole_file(path) as draft:
        draft.write_text(text, encoding="utf-8")


@contextmanager
def draft_folder(parent: Path, stem: str) -> Iterator[Path]:
    """A new folder that is gone when the block ends; those that killed processes have left are removed."""
    remove_abandoned(parent, stem)
    folder = Path(tempfile.mkdtemp(prefix=draft_prefix(stem), dir=parent))
    _UNFINISHED.add(folder)
    try:
        yield folder
    finally:
        remove(folder)
        _UNFINISHED.discard(folder)


def draft_prefix(stem: str) -> str:
    """What the names of this process's drafts begin with: its machine and number tell whether it still runs."""
    return f".{stem}.draft-{_machine()}-{os.getpid()}-"


def remove_abandoned(folder: Path, stem: str) -> None:
    """Removes drafts, files or folders, of processes of this machine that no longer run."""
    pattern = re.compile(rf"\.{re.escape(stem)}\.draft-{_machine()}-(\d+)-")
    with contextlib.suppress(OSError):
        for path in folder.iterdir():
            found = pattern.match(path.name)
            if found and not _runs(int(found[1])):
                remove(path)


def remove_unfinished() -> None:
    """Removes this process's drafts, for the end of a command: an interruption may come between two lines."""
    for draft in list(_UNFINISHED):
        remove(draft)
    _UNFINISHED.clear()


def remove(path: Path) -> None:
    """A file or a folder, if it is there and can be removed."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)


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


def _made_draft(path: Path) -> Path:
    """An empty file beside `path`, so that the final move is atomic, of its suffix, which writers may look at."""
    try:
        handle, name = tempfile.mkstemp(prefix=draft_prefix(path.stem), suffix=path.suffix, dir=path.parent)
    except OSError as error:
        raise BadInput(
            f"{path}: nothing can be written to the folder {path.parent} ({error.strerror}); choose another output."
        ) from None
    _UNFINISHED.add(Path(name))
    os.close(handle)
    return Path(name)


def _existing(folder: Path) -> Path:
    return next(parent for parent in folder.absolute().parents if parent.is_dir())


def _machine() -> str:
    return f"{zlib.crc32(platform.node().encode()):08x}"


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
