"""Which samples of a robot's own sensors are used: those with its token, in time, of a plausible size and rate.

Any process of this machine can reach a robot's sensor port. What is not used is counted by reason, with an event.
"""

import hmac
import math
import os
import secrets
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec

from steelyard.live.robot._tuning import TUNING

REASONS = {
    "sensor-token": "came without the robot's token",
    "sensor-rate": "came faster than any sensor of this team",
    "sensor-malformed": "was no sample",
    "sensor-time": "has a time that is not now",
    "sensor-value": "has a value that no sensor measures; the value counts as missing",
}
"""By reason, what is wrong with a sample."""


class Reading(msgspec.Struct, frozen=True):
    """What a robot's own sensors measured."""

    time: float
    """s, by the robot's own clock."""
    values: dict[str, float]
    """By `<signal>/<axis>`; what is missing was not measured."""


class SensorGate:
    """One robot's. `now` is the robot's own clock, s."""

    def __init__(self, rate: float, paced: bool, token: bytes | None = None):
        """`rate`: of the team, Hz. `paced`: whether samples carry the time of the clock. `token`: None for none."""
        self.dropped: Counter[str] = Counter()
        self._paced, self._token = paced, token
        self._rate = TUNING.fastest_sensor * rate
        self._budget, self._counted_at = self._rate, -math.inf
        self._newest = 0.0
        self._reported: dict[str, float] = {}
        self._decoder = msgspec.json.Decoder(Reading)

    def lets_in(self, now: float, token: bytes | None) -> bool:
        """Whether a sample that has just arrived may wait to be decoded; called in any thread."""
        if self._token is not None and not hmac.compare_digest(self._token, token or b""):
            self.dropped["sensor-token"] += 1
            return False
        elapsed, self._counted_at = max(now - self._counted_at, 0.0), now
        self._budget = min(self._budget + elapsed * self._rate, self._rate)
        if self._budget < 1.0:
            self.dropped["sensor-rate"] += 1
            return False
        self._budget -= 1.0
        return True

    def decoded(self, data: bytes) -> Reading | None:
        """The sample in the bytes; None where there is none."""
        try:
            return self._decoder.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            self.dropped["sensor-malformed"] += 1
            return None

    def checked(self, reading: Reading, now: float) -> Reading | None:
        """The sample without values that cannot be; None where its time cannot be."""
        if not self._in_time(reading.time, now):
            self.dropped["sensor-time"] += 1
            return None
        self._newest = reading.time
        wrong = [name for name, value in reading.values.items() if not abs(value) <= largest_value(name)]
        wrong = [name for name in wrong if not math.isnan(reading.values[name])]
        if not wrong:
            return reading
        self.dropped["sensor-value"] += 1
        return Reading(reading.time, {name: value for name, value in reading.values.items() if name not in wrong})

    def failures(self, now: float) -> Iterator[str]:
        """A sentence for each reason that has counted anything since its last sentence, some seconds apart."""
        for reason, count in list(self.dropped.items()):
            if now - self._reported.get(reason, -math.inf) > TUNING.sensor_event_interval:
                self._reported[reason] = math.inf  # until it counts again
                yield f"A sample of its sensors {REASONS[reason]} ({count} so far)."
            elif self._reported[reason] == math.inf:
                self._reported[reason] = now

    def _in_time(self, time: float, now: float) -> bool:
        if not math.isfinite(time):
            return False
        if not self._paced:
            return -TUNING.oldest_sample <= time <= self._newest + TUNING.longest_pause
        return -TUNING.oldest_sample <= time - now <= TUNING.earliest_sample


def largest_value(column: str) -> float:
    """Of a reading `<signal>/<axis>`, in its unit."""
    return TUNING.largest_readings.get(column.rpartition("/")[0], math.inf)


def own_token(path: Path) -> bytes:
    """The token in a file that only its owner can read; made where there is none."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_bytes().strip()
    token = secrets.token_hex(16).encode()
    with os.fdopen(handle, "wb") as file:
        file.write(token)
    return token
