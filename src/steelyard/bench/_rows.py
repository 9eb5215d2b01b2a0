"""One value of a benchmark."""

import dataclasses
from typing import Any


@dataclasses.dataclass(frozen=True)
class BenchRow:
    """A measured value; lower is better throughout."""

    key: str
    """What was measured."""
    value: float
    """Ours."""
    unit: str
    """Of both values."""
    peer: float | None = None
    """The peer's value of the same run, in the same unit."""

    @property
    def ratio(self) -> float | None:
        """Ours over the peer's: below 1 when we are ahead."""
        return None if self.peer is None else self.value / self.peer

    def as_json(self) -> dict[str, Any]:
        """As `steelyard bench --json` prints it."""
        return {"key": self.key, "value": self.value, "unit": self.unit, "peer": self.peer, "ratio": self.ratio}
