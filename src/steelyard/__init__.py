"""Steelyard weighs what robots carry, and what they are, while they move.

```python
import steelyard as sy

log = sy.read("flight.csv")
found = sy.identify(log, "multirotor")
print(found["r1"].mass.value, found["r1"].mass.interval, found.verdict)
```
Importing it loads nothing: each name below is imported when it is first used.

The rooms, each importing only from those before it: `geometry`, `models`, `estimators`, `information`, `native`,
`monitor`, `team`, `worlds`, `logs`, `problems`, `planning`, `report`, `campaigns`, `papers`, `live`, `bench`, `cli`.
They are for those who go deeper: ask for the room you need.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from steelyard._face._export import export as export
    from steelyard._face._identify import identify as identify
    from steelyard._face._inputs import read as read
    from steelyard._face._simulate import plan as plan
    from steelyard._face._simulate import simulate as simulate
    from steelyard._face._stream import stream as stream
    from steelyard.config import Config as Config
    from steelyard.errors import BadInput as BadInput
    from steelyard.estimators import Estimate as Estimate
    from steelyard.logs import Log as Log
    from steelyard.models import Model as Model
    from steelyard.native import Online as Online

__version__ = "0.1.0"

_HOMES = {
    "read": "steelyard._face._inputs",
    "identify": "steelyard._face._identify",
    "stream": "steelyard._face._stream",
    "simulate": "steelyard._face._simulate",
    "plan": "steelyard._face._simulate",
    "export": "steelyard._face._export",
    "Log": "steelyard.logs",
    "Config": "steelyard.config",
    "Estimate": "steelyard.estimators",
    "Online": "steelyard.native",
    "Model": "steelyard.models",
    "BadInput": "steelyard.errors",
}
"""Where each public name lives."""

__all__ = [
    "BadInput", "Config", "Estimate", "Log", "Model", "Online", "export", "identify", "plan", "read", "simulate",
    "stream",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'steelyard' has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
