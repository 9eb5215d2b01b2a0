"""Output files that are either whole or absent."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from steelyard.errors import BadInput


def check_output(path: str | Path) -> Path:
    """The path, if a file can be written there; commands ask before the work begins, not after it."""
    path = Path(path)
    if not path.parent.is_dir():
        raise BadInput(f"{path}: the folder {path.parent} does not exist; create it or choose another output.")
    if path.is_dir():
        raise BadInput(f"{path} is a folder; give the name of a file to write.")
    return path


@contextmanager
def whole_file(path: str | Path) -> Iterator[Path]:
    """Yields a temporary path beside `path`; moves it into place only when the block ends well.

    An exception or an interruption inside the block leaves whatever was at `path` untouched and no debris.
    """
    path = check_output(path)
    # Same folder, so that the final move is atomic; same suffix, so that writers may look at it.
    handle, name = tempfile.mkstemp(prefix=f".{path.stem}-", suffix=path.suffix, dir=path.parent)
    os.close(handle)
    draft = Path(name)
    try:
        yield draft
        draft.chmod(0o666 & ~_umask())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
