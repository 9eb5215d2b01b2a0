"""Which reader a file needs: by its first bytes, then by its name."""

from pathlib import Path

from steelyard.errors import BadInput
from steelyard.logs._paths import existing_file
from steelyard.logs._recording import Limits, Recording


def read_any(path: str | Path, limits: Limits) -> Recording:
    """Reads one file, or one folder as a bag."""
    raise BadInput(f"{existing_file(path)}: no reader for files of this kind yet.")
