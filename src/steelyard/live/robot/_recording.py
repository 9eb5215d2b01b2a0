"""A robot's recording: what it measured, received, sent and estimated, as a ROS 2 bag."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.estimators import Estimate
from steelyard.logs import Bag


class Recorder:
    """Writes to a bag of its own; a process that is started again begins another beside it.

    Where the disk is full or gone, it records no more, and `failure` says so once.
    """

    def __init__(self, folder: Path | None, robot: str):
        """In a folder; where there is none, nothing is recorded."""
        self._robot = robot
        self._failure: str | None = None
        self._bag: Bag | None = None if folder is None else _new_bag(folder, robot)

    @staticmethod
    def off() -> "Recorder":
        """One that records nothing."""
        return Recorder(None, "")

    def measured(self, time: float, columns: tuple[str, ...], values: tuple[float, ...]) -> None:
        """A sample, as the agent got it; team's time, s."""
        self._try(lambda bag: bag.signals(time, self._robot, dict(zip(columns, values, strict=True))))

    def received(self, time: float, sender: str, data: bytes) -> None:
        """An agent's message, as it was let in."""
        self._try(lambda bag: bag.raw(time, f"/{self._robot}/received/{sender}", data))

    def sent(self, time: float, recipient: str, data: bytes) -> None:
        """An agent's message."""
        self._try(lambda bag: bag.raw(time, f"/{self._robot}/sent/{recipient}", data))

    def estimated(self, time: float, estimates: Mapping[str, Estimate]) -> None:
        """Values, then standard deviations; nothing where a quantity is not known."""
        for name, one in estimates.items():
            if one.value is not None and one.std is not None:
                topic, numbers = (
                    f"/{self._robot}/estimate/{name}",
                    np.concatenate([np.ravel(one.value), np.ravel(one.std)]),
                )
                self._try(lambda bag, topic=topic, numbers=numbers: bag.numbers(time, topic, numbers))

    def event(self, time: float, what: str) -> None:
        """An event, as a sentence."""
        self._try(lambda bag: bag.text(time, f"/{self._robot}/events", what))

    def flush(self) -> None:
        """Called each second: what is lost to a kill is what came after."""
        self._try(lambda bag: bag.flush())

    def close(self) -> None:
        """Ends the recording."""
        self._try(lambda bag: bag.close())
        self._bag = None

    def failure(self) -> str | None:
        """Why it records no more, told once."""
        found, self._failure = self._failure, None
        return found

    def _try(self, write: Callable[[Bag], Any]) -> None:
        if self._bag is None:
            return
        try:
            write(self._bag)
        except OSError as error:
            self._bag, self._failure = None, error.strerror or str(error)


def _new_bag(folder: Path, robot: str) -> Bag:
    """Beside those of earlier processes."""
    folder.mkdir(parents=True, exist_ok=True)
    k, path = 1, folder / robot
    while path.exists():
        k, path = k + 1, folder / f"{robot}.{k + 1}"
    return Bag(path)
