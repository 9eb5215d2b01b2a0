"""Column names as people write them, taken apart: robot, words, axis, unit."""

import dataclasses
import re

from steelyard.logs.mapping._unit_names import StatedUnit, plain_unit

AXES = ("x", "y", "z")


@dataclasses.dataclass(frozen=True)
class Name:
    """What a column's name states."""

    field: str
    robot: str | None
    words: tuple[str, ...]
    """In lower case, without robot, axis and unit."""
    axis: str
    """x, y, z, w, n, e, d, u, a number or two digits of a matrix; "" where there is none."""
    unit: str | None


_ROBOT = re.compile(r"(?:r|robot|drone|uav|quad)_?\d+")
# A quantity's letters and an axis in one word: ax, fy, gyrox, wz, q0, m1, r12.
_JOINED = re.compile(
    r"(a|acc|accel|accelerometer|f|force|t|tau|torque|m|mom|w|om|omega|g|gyr|gyro|v|vel|p|pos|q|quat|vl|vb|lv|r)([xyzw])|"
    r"(r|rot|R)([123][123])|"
    r"(q|quat|qd|dq|tau|joint|j)(\d)|"
    r"(m|motor|mot|pwm|rpm|esc|throttle|thr|u|rotor|output|servo|omega|om|w|n|r)(\d{1,2})"
)
_WORLD_AXES = {"n": "n", "north": "n", "e": "e", "east": "e", "d": "d", "down": "d", "u": "u", "up": "u"}
_IN_THE_WORLD = {"p", "pos", "position", "v", "vel", "velocity", "speed"}
_LETTER_UNITS = {"m": "m", "g": "g", "n": "N"}
"""Units of one letter, which count behind an axis only: pos_x_m."""
_DOT = re.compile(r"([xyz])dot|d([xyz])")
_UNIT_TAILS = {
    ("m", "s2"): "m/s²",
    ("m", "s", "2"): "m/s²",
    ("mps2",): "m/s²",
    ("ms2",): "m/s²",
    ("m", "s"): "m/s",
    ("mps",): "m/s",
    ("rad", "s"): "rad/s",
    ("radps",): "rad/s",
    ("rads",): "rad/s",
    ("deg", "s"): "deg/s",
    ("degps",): "deg/s",
    ("dps",): "deg/s",
    ("deg",): "deg",
    ("rad",): "rad",
    ("nm",): "N m",
    ("newton",): "N",
    ("rpm",): "rpm",
    ("mm",): "mm",
    ("cm",): "cm",
    ("ms",): "ms",
    ("us",): "us",
    ("ns",): "ns",
    ("sec",): "s",
    ("secs",): "s",
    ("seconds",): "s",
    ("percent",): "%",
    ("mv",): "mV",
}


def take_apart(field: str, stated: str | None = None) -> Name:
    """A column's name in its parts; `stated` is a unit that the file gives elsewhere.

    >>> take_apart("imu.acc_x [g]").words, take_apart("imu.acc_x [g]").axis, take_apart("imu.acc_x [g]").unit
    (('imu', 'acc'), 'x', 'g')
    """
    unit = plain_unit(stated) if stated else None
    if unit is None and isinstance(stated, StatedUnit):
        unit = str(stated)
    bare = field
    for match in re.finditer(r"[\[(]([^\[\]()]*)[\])]", field):
        inside = match[1].strip()
        if inside.isdigit():
            continue
        if plain_unit(inside) is not None:
            unit = unit or plain_unit(inside)
        bare = bare.replace(match[0], " ")
    split = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", bare)
    whole = re.sub(r"(?<![a-z0-9])e_rpm", "erpm", split.lower())
    words = [word for word in re.split(r"[^a-z0-9]+", whole) if word]
    robot = None
    if words and _ROBOT.fullmatch(words[0]) and len(words) > 1:
        robot, words = words[0], words[1:]
    elif len(words) > 2 and _ROBOT.fullmatch("_".join(words[:2])):
        robot, words = "".join(words[:2]), words[2:]
    if unit is None:
        words, unit = _unit_tail(words)
    words, axis = _axis(words)
    return Name(field, robot, tuple(words), axis, unit)


def _unit_tail(words: list[str]) -> tuple[list[str], str | None]:
    """A unit written as the name's last words, or before an index: acc_x_m_s2, t_us, position_ned_m[0]."""
    if len(words) > 2 and words[-1].isdigit():
        bare, unit = _unit_tail(words[:-1])
        if unit is None and words[-2] == "m" and words[-3] in (*_IN_THE_WORLD, "ned", "enu"):
            bare, unit = words[:-2], "m"
        return [*bare, words[-1]], unit
    for tail, unit in _UNIT_TAILS.items():
        if len(words) > len(tail) and tuple(words[-len(tail) :]) == tail:
            return words[: -len(tail)], unit
    if len(words) > 1 and words[-2] in AXES and words[-1] in _LETTER_UNITS:
        return words[:-1], _LETTER_UNITS[words[-1]]
    if len(words) > 1 and words[-2] in ("thrust", "force") and words[-1] == "n":
        return words[:-1], "N"
    return words, None


def _axis(words: list[str]) -> tuple[list[str], str]:
    for k in range(len(words) - 1, -1, -1):
        if words[k] in (*AXES, "w") and (len(words) > 1 or words[k] != "w"):
            return words[:k] + words[k + 1 :], words[k]
    for k in range(len(words) - 1, 0, -1):
        if words[k] in _WORLD_AXES and words[k - 1] in _IN_THE_WORLD:
            return words[:k] + words[k + 1 :], _WORLD_AXES[words[k]]
    for k in range(len(words) - 1, -1, -1):
        match = _DOT.fullmatch(words[k])
        if match:
            return [*words[:k], "dot", *words[k + 1 :]], match[1] or match[2]
        match = _JOINED.fullmatch(words[k])
        if match:
            stem, axis = [part for part in match.groups() if part is not None][:2]
            return [*words[:k], stem, *words[k + 1 :]], axis
    for k in range(len(words) - 1, 0, -1):
        if words[k].isdigit() and len(words[k]) <= 2:
            return words[:k] + words[k + 1 :], words[k]
    return words, ""
