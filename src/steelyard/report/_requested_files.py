"""Files for other programs that a command was asked for: `--payload FORMAT=FILE`, `--vehicle FORMAT=FILE`."""

import dataclasses
from typing import Literal

from steelyard._files import write_text
from steelyard.errors import BadInput, nearest
from steelyard.problems import Identification
from steelyard.report import _payload, _vehicle_files

_TEXTS = {
    "payload": (_payload.FORMATS, _payload.payload_of),
    "vehicle": (_vehicle_files.FORMATS, _vehicle_files.vehicle_text),
}


@dataclasses.dataclass(frozen=True)
class RequestedFile:
    """What to write, in which format, and where."""

    kind: Literal["payload", "vehicle"]
    format: str
    path: str

    def write(self, identification: Identification) -> None:
        """`BadInput` where something that the format needs is not known."""
        write_text(self.path, _TEXTS[self.kind][1](identification, self.format))


def requested_file(kind: Literal["payload", "vehicle"], request: str) -> RequestedFile:
    """Of the option's `FORMAT=FILE`; `BadInput` where it is something else."""
    name, _, path = request.partition("=")
    formats = _TEXTS[kind][0]
    if name not in formats or not path:
        raise BadInput(f'--{kind} is "{request}"; give FORMAT=FILE, {nearest(name, list(formats))}')
    return RequestedFile(kind, name, path)
