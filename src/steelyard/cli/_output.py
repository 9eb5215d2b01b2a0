"""What commands write: to standard output, for people or for machines."""

import json
from pathlib import Path
from typing import Any

from steelyard.errors import BadInput


def open_output(path: str | None) -> None:
    """Complains about an output path before the work begins, not after it."""
    if path is None:
        return
    place = Path(path)
    if place.is_dir():
        raise BadInput(f"{path} is a folder; give the name of a file to write.")
    if not place.parent.is_dir():
        raise BadInput(f"{path}: the folder {place.parent} does not exist; create it or choose another output.")


def print_json(answer: Any) -> None:
    """One object on standard output."""
    print(json.dumps(answer, allow_nan=False))


def say(as_json: bool, facts: dict[str, Any], sentence: str) -> None:
    """The facts for a machine, or the sentence for a person."""
    if as_json:
        print_json(facts)
    else:
        print(sentence)
