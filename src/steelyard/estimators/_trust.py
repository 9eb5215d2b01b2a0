"""Whether an answer can be believed, and why not: one notion for every problem.

Checks of an estimator give reasons; each has a code for programs, a sentence for people and a level. An answer is as
good as its worst reason: `believed` where there is none, `doubtful` where something speaks against it, `contradicted`
where the data and the model cannot both be right.
"""

import dataclasses
from typing import Literal

Level = Literal["believed", "doubtful", "contradicted"]
_ORDER: tuple[Level, ...] = ("believed", "doubtful", "contradicted")


@dataclasses.dataclass(frozen=True)
class Reason:
    """Something that speaks against an answer."""

    code: str
    """For programs, in lower case with hyphens: `misfit`, `outliers`, `gap`."""
    sentence: str
    """For people: what was seen, with its size, and what to do."""
    level: Level = "doubtful"
    quantities: tuple[str, ...] = ()
    """The quantities that it concerns; empty for all."""


@dataclasses.dataclass(frozen=True)
class Trust:
    """All reasons against one answer.

    >>> Trust().level
    'believed'
    >>> Trust((Reason("outliers", "A fifth of the rows are outliers."),)).level
    'doubtful'
    """

    reasons: tuple[Reason, ...] = ()

    @property
    def level(self) -> Level:
        """The worst of them."""
        worst: Level = "believed"
        for reason in self.reasons:
            if _ORDER.index(reason.level) > _ORDER.index(worst):
                worst = reason.level
        return worst

    def of(self, quantity: str) -> "Trust":
        """What concerns one quantity."""
        return Trust(tuple(r for r in self.reasons if not r.quantities or quantity in r.quantities))


BELIEVED = Trust()
"""Nothing speaks against it."""
