"""Paths that people give."""

from pathlib import Path

from steelyard.errors import BadInput


def existing_file(path: str | Path) -> Path:
    """The path, once it is known to lead to a file."""
    path = Path(path)
    if path.is_dir():
        raise BadInput(f"{path} is a folder; give the name of a log file.")
    if not path.exists():
        raise BadInput(f"{path} does not exist; check the name and the folder.")
    return path
