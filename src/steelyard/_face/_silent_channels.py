"""Channels that fall silent in a stream, and come back."""

from collections.abc import Mapping

from steelyard.problems import Event
from steelyard.problems._tuning import TUNING


class Silences:
    """Which channels were heard, and which are silent since when."""

    def __init__(self) -> None:
        self._silent: dict[str, tuple[float, bool]] = {}
        self._heard: set[str] = set()

    def after(self, time: float, robot: str, missing: Mapping[str, bool]) -> list[Event]:
        """Faults where a channel that was there has been silent for a while, and where it comes back."""
        events = []
        for name, silent in missing.items():
            begin, reported = self._silent.get(name, (time, False))
            if silent and name in self._heard:
                self._silent[name] = (begin, reported or time - begin >= TUNING.silent_for)
            elif not silent:
                self._heard.add(name)
                self._silent.pop(name, None)
            if time - begin >= TUNING.silent_for and not reported:
                events.append(Event(begin, "fault", robot, name, f"{name} fell silent.", None, time))
            if time - begin >= TUNING.silent_for and not silent:
                events.append(Event(time, "recovered", robot, name, f"{name} is back."))
        return events

    def silent(self, name: str) -> bool:
        """Whether a channel that was heard is not there now."""
        return name in self._silent
