"""Units that nothing states and no motion shows: they are asked for, and what is computed of them is doubtful."""

import json
import re
from collections.abc import Mapping, Sequence

from steelyard.logs.mapping._examination import Examination
from steelyard.logs.mapping._names import take_apart
from steelyard.logs.mapping._source import Finding, SignalSource, split_field
from steelyard.logs.mapping._unit_names import kind_of, multiple_of

_KINDS = {
    "position": ("length",),
    "linear_velocity": ("speed",),
    "twist/linear": ("speed",),
    "specific_force": ("acceleration",),
    "rates": ("turning",),
    "twist/angular": ("turning",),
    "wrench/force": ("force",),
    "wrench/torque": ("torque",),
    "thrust": ("force",),
    "rpm": ("rotor speed",),
    "motor": ("command",),
    "throttle": ("command",),
    "battery/voltage": ("voltage",),
}
"""By signal, what its unit must measure."""


def refuse_other_kinds(exam: Examination) -> None:
    """Refuses a signal whose stated unit measures something else: a thrust in percent, a force in volts."""
    for signal in list(exam.sources):
        while signal in exam.sources:
            one = exam.sources[signal]
            wanted, kind = _KINDS.get(one.name), kind_of(one.unit)
            if wanted is None or kind is None or kind in wanted or one.conversion == "crazyflie-2-thrust":
                break
            text = f"{_fields(one)} is stated in {one.unit}, which is no unit of a {wanted[0]}"
            exam.ask(f"How much {_USUAL[wanted[0]]} is 1 of {_fields(one)}? {_answer([one], multiple=True)}")
            exam.refuse(signal, f"{text}.")


_USUAL = {
    "length": "m", "speed": "m/s", "acceleration": "m/s²", "turning": "rad/s", "force": "N", "torque": "N m",
    "rotor speed": "rpm", "command": "of its range", "voltage": "V",
}  # fmt: skip


def leave_open(exam: Examination, signals: Sequence[str], why: str) -> None:
    """Takes signals in the units they have, marks these as open, and asks for all of them in one question."""
    sources = [exam.sources[signal] for signal in signals]
    taken = " and ".join(dict.fromkeys(one.unit for one in sources))
    for signal in signals:
        exam.change(signal, "undecided", f"{why}; {exam.sources[signal].unit} is taken.", open_unit=True)
    names = " and ".join(_fields(one) for one in sources)
    exam.ask(f"Is {names} in {taken}? {why}. {_answer(sources, multiple=True)}", open_unit=True)


def open_units(signals: Mapping[str, SignalSource]) -> tuple[Finding, ...]:
    """What speaks against a robot's answer that reads these signals: units that nobody has stated, in one sentence."""
    found = []
    for robot in dict.fromkeys(one.robot for one in signals.values()):
        mine = [one for one in signals.values() if one.open_unit and one.robot == robot]
        if mine:
            taken = " and ".join(f"{_fields(one)} is in {one.unit}" for one in mine)
            text = f"Nothing states that {taken}. {_answer(mine)}"
            if any(one.conversion == "crazyflie-2-thrust" for one in mine):
                text = (
                    f"Nothing states that {_fields(mine[0])} are commands of a Crazyflie 2.x. {_answer(mine, 'pwm16')}"
                )
            found.append(Finding(mine[0].signal, "undecided", text))
    return tuple(found)


def asked_unit(exam: Examination, signal: str, question: str, unit: str, multiple: bool = False) -> None:
    """Asks for the unit of one signal; `unit` stands in the line that answers."""
    exam.ask(f"{question} {_answer([exam.sources[signal]], unit, multiple)}")


def _answer(sources: Sequence[SignalSource], unit: str | None = None, multiple: bool = False) -> str:
    """The line of a mapping that answers, in TOML that can be copied."""
    if unit is None and any(is_electrical(one) for one in sources):
        unit, multiple = SEVEN_PAIRS, False
    lines = []
    for stream in dict.fromkeys(one.streams[0] for one in sources):
        mine = [one for one in sources if one.streams[0] == stream]
        entries = ", ".join(
            f"{_key(split_field(one.source[0])[1])} = {json.dumps(unit or one.unit, ensure_ascii=False)}"
            for one in mine
        )
        lines.append(f"{json.dumps(stream, ensure_ascii=False)}.units = {{{entries}}}")
    shown = f"State it in a file for --map: {' and '.join(lines)}"
    base = unit or sources[0].unit
    if multiple and multiple_of(f"0.25 {base}") is not None and kind_of(base) is not None:
        shown += f', or what 1 of it is, as in "0.25 {base}"'
    return f"{shown}."


SEVEN_PAIRS = "0.142857 rpm"
"""A rotor's speed where an electrical revolution of a motor with seven pairs of poles is counted."""


def is_electrical(one: SignalSource) -> bool:
    """Whether a source counts electrical revolutions, by its name."""
    return any("erpm" in take_apart(split_field(field)[1]).words for field in one.source)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name, ensure_ascii=False)


def _fields(one: SignalSource) -> str:
    """`run: fx, fy, fz`."""
    names = [split_field(source)[1] for source in one.source]
    shown = names if len(names) <= 4 else [names[0], "…", names[-1]]
    return f"{one.streams[0]}: {', '.join(shown)}"
