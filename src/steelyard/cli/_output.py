"""What commands write: to standard output, for people or for machines."""

import json
from typing import Any


def print_json(answer: Any) -> None:
    """One object on standard output."""
    print(json.dumps(answer, allow_nan=False))


def say(as_json: bool, facts: dict[str, Any], sentence: str) -> None:
    """The facts for a machine, or the sentence for a person; no sentence, no line."""
    if as_json:
        print_json(facts)
    elif sentence:
        print(sentence)
