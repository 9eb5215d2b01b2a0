"""Where each of our signals comes from in somebody's recording, and how its numbers become ours."""

import dataclasses
from collections.abc import Mapping
from typing import Any, Literal

from steelyard.logs.mapping._unit_names import factor_of, multiple_of

Matrix = tuple[tuple[float, float, float], ...]
Verdict = Literal["confirmed", "found", "undecided", "refused"]


@dataclasses.dataclass(frozen=True)
class SignalSource:
    """One signal: its fields, and what turns them into SI units, our axes and our clock."""

    signal: str
    """Ours, with its robot and without its axis: `r1/specific_force`."""
    source: tuple[str, ...]
    """`stream:field`, one an axis; nine of them for a rotation matrix, row by row."""
    unit: str
    """As recorded, in any usual spelling."""
    why: str
    """The evidence, in sentences."""
    frame: str | None = None
    """Name of the axes as recorded: FRD or NED, or NED/FRD (world/body) of an attitude; None for ours."""
    axes: tuple[str, ...] | None = None
    """Our x, y, z in recorded axes: ("x", "-y", "-z"); of an attitude, those of the world."""
    body: tuple[str, ...] | None = None
    """Of an attitude: our body axes in recorded ones."""
    rotation: Matrix | None = None
    """Takes recorded axes to ours where no permutation does; applied before `axes`."""
    order: str | None = None
    """Of an attitude: wxyz, xyzw, or rpy for roll, pitch and yaw angles."""
    inverse: bool = False
    """Of an attitude: whether it was recorded from world to body."""
    rows: str | None = None
    """R where the source is a rotation matrix, row by row."""
    delay: float = 0.0
    """s, how late the signal is."""
    delay_std: float | None = None
    """s, standard deviation of the delay where it was estimated."""
    drift: float = 0.0
    """s/s, how much later it gets; the delay is that at the first sample."""
    held: bool = False
    """Whether rows repeat a sample until the next one is new; repeats are left out."""
    conversion: str | None = None
    """Name of a conversion that is more than a factor, such as `crazyflie-2-thrust`."""
    certain: bool = False
    """Whether a convention or the file itself states the unit and the axes, so that physics need only agree."""
    open_unit: bool = False
    """Whether nothing states the unit and no physics decides it: what is computed of it is doubtful."""

    @property
    def robot(self) -> str:
        """The first part of the signal."""
        return self.signal.partition("/")[0]

    @property
    def name(self) -> str:
        """The signal without its robot."""
        return self.signal.partition("/")[2]

    @property
    def streams(self) -> tuple[str, ...]:
        """Names of the streams it comes from."""
        return tuple(dict.fromkeys(split_field(one)[0] for one in self.source))

    def because(self, sentence: str, **changes: Any) -> "SignalSource":
        """The source with these fields changed and one more sentence of evidence."""
        return dataclasses.replace(self, why=f"{self.why} {sentence}".strip(), **changes)

    def as_json(self) -> dict[str, Any]:
        """The object that `look --json` prints."""
        answer: dict[str, Any] = {
            "source": list(self.source),
            "unit": self.unit,
            "scale": None if multiple_of(self.unit) is None else factor_of(self.unit),
            "frame": self.frame or (", ".join(self.axes) if self.axes else None),
            "delay": self.delay,
            "why": self.why,
        }
        optional = {
            "delay_std": self.delay_std,
            "drift": self.drift or None,
            "order": self.order,
            "inverse": self.inverse or None,
            "rows": self.rows,
            "body": self.body,
            "rotation": self.rotation,
            "held": self.held or None,
            "open_unit": self.open_unit or None,
            "conversion": self.conversion,
        }
        return answer | {key: value for key, value in optional.items() if value is not None}


@dataclasses.dataclass(frozen=True)
class TimeSource:
    """How the clock of a stream becomes seconds."""

    stream: str
    unit: str
    """As recorded: s, ms, us or ns."""
    why: str
    rate: float | None = None
    """Hz, where the rows have no time and are evenly spaced at this rate."""
    offset: float = 0.0
    """s, taken off after the unit is applied."""
    known: bool = True
    """Whether the times are usable; False where the rows have none and nobody stated a rate."""


@dataclasses.dataclass(frozen=True)
class Finding:
    """One thing that physics showed, or could not show."""

    subject: str
    """Signal or stream."""
    verdict: Verdict
    sentence: str


@dataclasses.dataclass(frozen=True)
class SignalMapping:
    """Which field is which signal, with the evidence."""

    signals: Mapping[str, SignalSource]
    times: Mapping[str, TimeSource]
    findings: tuple[Finding, ...] = ()
    questions: tuple[str, ...] = ()
    """What only the owner of the files can answer, one sentence each."""
    unit_questions: tuple[str, ...] = ()
    """Those of them about units that are taken as they are: without an answer, numbers are doubtful."""
    stated: str | None = None
    """The file that states it; None where it was found."""

    def remarks(self, verdicts: tuple[Verdict, ...]) -> list[Finding]:
        """Findings of these verdicts that stand in no signal's own evidence."""
        evidence = {signal: one.why for signal, one in self.signals.items()}
        return [
            one
            for one in self.findings
            if one.verdict in verdicts and one.sentence not in evidence.get(one.subject, "")
        ]

    def as_json(self) -> dict[str, Any]:
        """By signal, as `look --json` prints it."""
        return {name: one.as_json() for name, one in self.signals.items()}


def split_field(source: str) -> tuple[str, str]:
    """Stream and field of `stream:field`; a stream's name may hold colons, a field's does not."""
    stream, _, field = source.rpartition(":")
    return stream, field
