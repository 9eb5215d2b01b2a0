"""What a look at a log before the estimate finds: a sentence with its evidence, and how to mend it."""

import dataclasses
from collections.abc import Callable
from typing import Literal

from steelyard.estimators import Reason
from steelyard.logs import Log


@dataclasses.dataclass(frozen=True)
class PreflightFinding:
    """Something about a log that its method takes for granted, and that is not so."""

    code: str
    """For programs: `time-unit`, `attitude-inverse`, `stuck`."""
    sentence: str
    """What was seen, with its size."""
    remedy: str
    """What to write, and where: a line of a mapping or of the configuration."""
    robot: str | None = None
    """Whose log it is; None for every robot's."""
    mend: Callable[[Log], Log] | None = None
    """The log as it should have been; None where only its owner knows."""
    kind: Literal["certain", "hint", "repaired"] = "certain"
    """`certain` makes an answer doubtful until it is mended; a `hint` is the likeliest cause where something else
    speaks against the answer; what is `repaired` is mended at once and noted."""

    @property
    def reason(self) -> Reason:
        """As a reason against an answer."""
        return Reason(self.code, f"{self.sentence} {self.remedy}")


def changed(log: Log, columns: dict) -> Log:
    """The log with other values in some columns."""
    return Log(log.time, dict(log.columns) | columns, log.origin, log.metadata)
