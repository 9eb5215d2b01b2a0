"""What happened in a flight: jumps of the mass, slow losses that begin or end, channels that fell silent."""

import numpy as np

from steelyard.problems._gaps import silences
from steelyard.problems._identification import Event
from steelyard.problems.multirotor._method import Track
from steelyard.problems.multirotor._reading import FlightRecord
from steelyard.problems.multirotor._tuning import TUNING


def events_of(record: FlightRecord, track: Track) -> list[Event]:
    """All events of a flight that is over."""
    return [*_changes(record, track), *silent_channels(record)]


def silent_channels(record: FlightRecord) -> list[Event]:
    """Channels that fell silent, and came back."""
    channels = {
        "attitude": record.attitude,
        "position": record.position,
        "linear_velocity": record.velocity,
        "rates": record.rates,
        "thrust": record.thrust,
    }
    return [event for name, values in channels.items() for event in silences(record.time, values, record.robot, name)]


def jump_event(robot: str, onset: float, noticed: float, before: float, after: float) -> Event:
    """The mass, kg, before and after a jump."""
    size = after - before
    what = f"The mass jumped {'up' if size > 0 else 'down'} by {abs(size):.3g} kg, to {after:.3g} kg."
    return Event(onset, "change", robot, "mass", what, size, noticed)


def flow_event(robot: str, onset: float, noticed: float, before: float, after: float) -> Event:
    """The mass flow, kg/s, before and after a change: spraying, say, that begins, ends or changes."""
    what = f"The mass now changes by {after:+.2g} kg/s, after {before:+.2g} kg/s before."
    return Event(onset, "change", robot, "mass/rate", what, after - before, noticed)


def _changes(record: FlightRecord, track: Track) -> list[Event]:
    """Jumps of the mass and of its rate; jumps that began within half a second of each other are one."""
    change = track.change
    rows = np.flatnonzero(change.found)
    onsets = record.time[rows] - change.age[rows]
    first = np.flatnonzero(np.diff(onsets, prepend=-np.inf) > TUNING.same_jump_within)
    return [
        _change(record, track, int(rows[k]), onsets[k], until)
        for k, until in zip(first, [*onsets[first], record.time[-1]][1:], strict=True)
    ]


def _change(record: FlightRecord, track: Track, row: int, onset: float, until: float) -> Event:
    """The size of a jump is read once the estimate has settled, before the next one begins."""
    times = record.time
    last_before = max(int(np.searchsorted(times, onset)) - 1, 0)
    described = (record.robot, float(onset), float(times[row]))
    if track.change.watched[row] == 1:
        return flow_event(*described, float(track.mass_rate[last_before]), float(track.mass_rate[row]))
    mass = np.exp(track.log_mass)
    settled = int(np.searchsorted(times, min(onset + TUNING.jump_settled_after, until), side="right")) - 1
    return jump_event(*described, float(mass[last_before]), float(mass[settled]))
