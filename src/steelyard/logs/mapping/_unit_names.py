"""Units as people spell them: factors to SI."""

import math
import re

from steelyard.errors import BadInput

G = 9.80665
"""m/s², standard gravity: what accelerometers are calibrated in."""

FACTORS = {
    "1": 1.0,
    "s": 1.0,
    "ms": 1e-3,
    "us": 1e-6,
    "ns": 1e-9,
    "m": 1.0,
    "cm": 1e-2,
    "mm": 1e-3,
    "m/s": 1.0,
    "cm/s": 1e-2,
    "mm/s": 1e-3,
    "km/h": 1 / 3.6,
    "mph": 0.44704,
    "knots": 0.5144444444444445,
    "ft": 0.3048,
    "ft/s": 0.3048,
    "m/s²": 1.0,
    "cm/s²": 1e-2,
    "mm/s²": 1e-3,
    "g": G,
    "mg": 1e-3 * G,
    "rad": 1.0,
    "mrad": 1e-3,
    "deg": math.pi / 180,
    "deg/10": math.pi / 1800,
    "deg/100": math.pi / 18000,
    "rad/s": 1.0,
    "mrad/s": 1e-3,
    "deg/s": math.pi / 180,
    "N": 1.0,
    "mN": 1e-3,
    "kN": 1e3,
    "kgf": G,
    "gf": 1e-3 * G,
    "lbf": 4.4482216152605,
    "N m": 1.0,
    "mN m": 1e-3,
    "N mm": 1e-3,
    "N cm": 1e-2,
    "lbf in": 0.1129848290276167,
    "lbf ft": 1.3558179483314004,
    "rpm": 1.0,
    "krpm": 1e3,
    "rotor rad/s": 30 / math.pi,
    "Hz": 60.0,
    "A": 1.0,
    "mA": 1e-3,
    "V": 1.0,
    "mV": 1e-3,
    "of one": 1.0,
    "%": 1e-2,
    "pwm": 1e-3,
    "pwm16": 1 / 65535,
    "dshot": 1 / 1999,
    "of 1999": 1 / 1999,
    "of 8191": 1 / 8191,
    **{f"g/{2**k}": G / 2**k for k in range(8, 16)},
}
"""By plain spelling, the factor to our unit; rotor speeds go to rpm, motor commands to 0..1 (pwm: 1000 to 2000 µs;
dshot: 48 to 2047; of 1999 and of 8191: PX4's outputs by DShot and UAVCAN); g/2048 is a converter's count, 2048 of them
a g."""

OFFSETS = {"pwm": -1.0, "dshot": -48 / 1999}
"""Added after the factor."""

KINDS = {
    "length": ("m", "cm", "mm", "ft"),
    "speed": ("m/s", "cm/s", "mm/s", "km/h", "mph", "knots", "ft/s"),
    "acceleration": ("m/s²", "cm/s²", "mm/s²", "g", "mg", *(f"g/{2**k}" for k in range(8, 16))),
    "angle": ("rad", "mrad", "deg", "deg/10", "deg/100"),
    "turning": ("rad/s", "mrad/s", "deg/s"),
    "force": ("N", "mN", "kN", "kgf", "gf", "lbf"),
    "torque": ("N m", "mN m", "N mm", "N cm", "lbf in", "lbf ft"),
    "rotor speed": ("rpm", "krpm", "rotor rad/s", "Hz"),
    "current": ("A", "mA"),
    "voltage": ("V", "mV"),
    "command": ("of one", "%", "pwm", "pwm16", "dshot", "of 1999", "of 8191"),
}
"""By what is measured, the units that can be of it."""

_SPELLINGS = {
    "sec": "s",
    "secs": "s",
    "second": "s",
    "seconds": "s",
    "msec": "ms",
    "millis": "ms",
    "milliseconds": "ms",
    "usec": "us",
    "micros": "us",
    "microseconds": "us",
    "nsec": "ns",
    "nanos": "ns",
    "nanoseconds": "ns",
    "m/s/s": "m/s²",
    "m/s2": "m/s²",
    "ms2": "m/s²",
    "m/s^2": "m/s²",
    "mps2": "m/s²",
    "mps": "m/s",
    "gs": "g",
    "gees": "g",
    "degree": "deg",
    "degrees": "deg",
    "degps": "deg/s",
    "dps": "deg/s",
    "degs": "deg/s",
    "radps": "rad/s",
    "rads": "rad/s",
    "nm": "N m",
    "n*m": "N m",
    "n.m": "N m",
    "n-m": "N m",
    "newtonmeter": "N m",
    "newtonmeters": "N m",
    "nmm": "N mm",
    "kg": "kgf",
    "lb": "lbf",
    "lbs": "lbf",
    "lbf-in": "lbf in",
    "in-lbf": "lbf in",
    "lb-in": "lbf in",
    "in-lb": "lbf in",
    "lbf-ft": "lbf ft",
    "ft-lbf": "lbf ft",
    "lb-ft": "lbf ft",
    "ft-lb": "lbf ft",
    "rad/sec": "rad/s",
    "deg/sec": "deg/s",
    "degree/s": "deg/s",
    "degrees/s": "deg/s",
    "m/sec": "m/s",
    "newton": "N",
    "newtons": "N",
    "percent": "%",
    "degrees180": "deg",
    "degrees360": "deg",
    "kph": "km/h",
    "kmh": "km/h",
    "kt": "knots",
    "kts": "knots",
    "knot": "knots",
    "feet": "ft",
    "foot": "ft",
    "fps": "ft/s",
    "r/min": "rpm",
    "1/min": "rpm",
    "volt": "V",
    "volts": "V",
    "amp": "A",
    "amps": "A",
}


_SHORT = {
    "meters": "m", "meter": "m", "metres": "m", "metre": "m", "feet": "ft", "foot": "ft", "degrees": "deg",
    "degree": "deg", "radians": "rad", "radian": "rad", "seconds": "s", "second": "s", "sec": "s", "newtons": "N",
    "newton": "N",
}  # fmt: skip
_WORD = re.compile(rf"(?<![a-z])(?:{'|'.join(sorted(_SHORT, key=len, reverse=True))})(?![a-z])")
"""Words for units, alone or in a fraction: meters/sec2."""


def plain_unit(text: str) -> str | None:
    """The one spelling of a unit, or None where nobody knows it.

    >>> plain_unit("µs"), plain_unit("deg / s"), plain_unit("M/S^2"), plain_unit("°/s")
    ('us', 'deg/s', 'm/s²', 'deg/s')
    """
    bare = text.strip().replace("µ", "u").replace("μ", "u").replace("°", "deg").replace("·", " ").replace("º", "deg")
    bare = re.sub(r"[*^]+(?=-?\d)", "", bare)  # m/s**2, rad s^-1
    bare = re.sub(r"(\w)[ ./*·](\w+)-(\d)", lambda m: f"{m[1]}/{m[2]}{'' if m[3] == '1' else m[3]}", bare)
    short = _WORD.sub(lambda m: _SHORT[m[0]], bare.lower())
    plain = re.sub(r"\s+", "", bare)
    for candidate in (bare, bare.lower(), plain, plain.lower(), short, re.sub(r"\s+", "", short)):
        if candidate in FACTORS:
            return candidate
        if candidate in _SPELLINGS:
            return _SPELLINGS[candidate]
    lower = re.sub(r"\s+", "", bare.lower())
    return next((unit for unit in FACTORS if re.sub(r"\s+", "", unit.lower()) == lower), None)


class StatedUnit(str):
    """A unit that a mapping states; it may be a multiple. In a file's own heading "2 g" is a sensor's range."""


def multiple_of(text: str) -> tuple[float, str] | None:
    """A number and a unit: what 1 in the file is; the number is 1 where only a unit is written.

    >>> multiple_of("0.28 N"), multiple_of("N"), multiple_of("counts")
    ((0.28, 'N'), (1.0, 'N'), None)
    """
    unit = plain_unit(text)
    if unit is not None:
        return 1.0, unit
    number = re.fullmatch(r"\s*((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s+(\S.*)", text)
    unit = plain_unit(number[2]) if number else None
    return None if number is None or unit is None or unit in OFFSETS else (float(number[1]), unit)


def factor_of(unit: str) -> float:
    """What to multiply a number by; `BadInput` for a unit that nobody knows."""
    known = multiple_of(unit)
    if known is None:
        raise BadInput(
            f'The unit "{unit}" is not known; use one such as {", ".join(list(FACTORS)[1:16])}, or what 1 is, as in '
            '"0.28 N".'
        )
    return known[0] * FACTORS[known[1]]


def offset_of(unit: str) -> float:
    """What to add after the factor."""
    return OFFSETS.get(plain_unit(unit) or "", 0.0)


def kind_of(unit: str) -> str | None:
    """What is measured in a unit; None for a unit of anything or of nothing.

    >>> kind_of("0.28 N"), kind_of("deg/s"), kind_of("1")
    ('force', 'turning', None)
    """
    known = multiple_of(unit)
    return next((kind for kind, units in KINDS.items() if known is not None and known[1] in units), None)
