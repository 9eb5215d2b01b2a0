"""Are the public names fully typed? `pyright --verifytypes steelyard --ignoreexternal --outputjson | python THIS_FILE`.

Fails where a name of `steelyard.__all__`, or a member of a class among them or among what they return, has an unknown
or ambiguous type. The rooms below are for those who go deeper; their share is printed.
"""

import json
import sys

import steelyard
from steelyard._face import _stream
from steelyard.problems import Identification

RETURNED = (Identification, _stream.FilterStream, _stream.Step)
"""What the public functions return, beside public classes."""


def incomplete(symbols: list[dict]) -> list[str]:
    """Names of ours that pyright does not fully know."""
    classes = [getattr(steelyard, name) for name in steelyard.__all__ if isinstance(getattr(steelyard, name), type)]
    homes = tuple(f"{one.__module__}.{one.__qualname__}" for one in (*classes, *RETURNED))
    ours = {f"steelyard.{name}" for name in steelyard.__all__}
    seen = {one["name"] for one in symbols}
    missing = sorted(ours - seen)
    wrong = [one["name"] for one in symbols if not one["isTypeKnown"] or one["isTypeAmbiguous"]]
    return missing + [name for name in wrong if name in ours or name.startswith(tuple(f"{home}." for home in homes))]


def main() -> None:
    """Reads pyright's answer from standard input."""
    found = json.load(sys.stdin)["typeCompleteness"]
    names = incomplete(found["symbols"])
    print(f"{len(steelyard.__all__) - len(names)} of {len(steelyard.__all__)} public names are fully typed, ", end="")
    print(f"{100 * found['completenessScore']:.0f} % of the names of all rooms.")
    sys.exit("\n".join(names) or 0)


if __name__ == "__main__":
    main()
