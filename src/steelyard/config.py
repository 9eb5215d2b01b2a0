"""Configuration: TOML read into typed values, every key with a default, every mistake named.

`load` and `parse` know nothing of the keys: they read any `msgspec.Struct`. `Config` is the schema of a whole file.
A `Struct` here documents its keys one a line, with unit and default, because the help text quotes them.
"""

import difflib
import math
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from steelyard.errors import BadInput, nearest

Schema = TypeVar("Schema", bound=msgspec.Struct)


class _BadValueError(BadInput, ValueError):
    """A value that its key does not allow. A `ValueError` too, so that msgspec adds the table it stands in."""


def _positive(key: str, value: float | None, what: str) -> None:
    if value is not None and not (value > 0 and math.isfinite(value)):
        raise _BadValueError(
            f"{key} is {value}, but {what} must be positive; give a number above 0 or leave the key out."
        )


def _not_negative(key: str, value: float | None) -> None:
    if value is not None and not (value >= 0 and math.isfinite(value)):
        raise _BadValueError(f"{key} is {value}, but it must be finite and not negative; give a number from 0 up.")


class Noise(msgspec.Struct, frozen=True):
    """Sensor noise: one standard deviation an axis; a signal without one has it estimated from the log.

    velocity: m/s, default none.
    force: N, default none.
    twist_angular: rad/s, default none.
    twist_linear: m/s, default none.
    specific_force: m/s², default none.
    wrench_torque: N m, default none.
    wrench_force: N, default none.
    position: m, default none.
    attitude: rad, default none.
    linear_velocity: m/s, default none.
    rates: rad/s, default none.
    thrust: N, default none.
    rpm: revolutions a minute, default none.
    """

    velocity: float | None = None
    force: float | None = None
    twist_angular: float | None = None
    twist_linear: float | None = None
    specific_force: float | None = None
    wrench_torque: float | None = None
    wrench_force: float | None = None
    position: float | None = None
    attitude: float | None = None
    linear_velocity: float | None = None
    rates: float | None = None
    thrust: float | None = None
    rpm: float | None = None

    def __post_init__(self) -> None:
        for key in self.__struct_fields__:
            _positive(key, getattr(self, key), "a standard deviation")


class Inputs(msgspec.Struct, frozen=True):
    """How inputs (force, wrench, thrust, rates, throttle) behave between two rows of a log.

    hold: "sample" when they vary smoothly, "step" when a command is held until the next row; default "sample".
    """

    hold: Literal["sample", "step"] = "sample"

    def __post_init__(self) -> None:
        if self.hold not in ("sample", "step"):
            raise _BadValueError(f'hold is "{self.hold}"; write "sample" or "step".')


class Guess(msgspec.Struct, frozen=True):
    """First guesses, where there are any.

    mass: kg, default none (none is needed).
    """

    mass: float | None = None

    def __post_init__(self) -> None:
        _positive("mass", self.mass, "a mass")


class Team(msgspec.Struct, frozen=True):
    """Who is in the team, and who hears whom.

    robots: names, default all robots of the log in its order.
    links: pairs of names that hear each other, default a line in the order of the robots.
    """

    robots: tuple[str, ...] | None = None
    links: tuple[tuple[str, str], ...] | None = None

    def __post_init__(self) -> None:
        robots = self.robots
        if robots is not None and len(robots) == 0:
            raise _BadValueError("robots is empty; name at least one robot or leave the key out.")
        for k, name in enumerate(robots or ()):
            if name in ("", "load", "truth") or "/" in name:
                raise _BadValueError(f'robots has "{name}", which cannot name a robot; use a name such as "r1".')
            if name in (robots or ())[:k]:
                raise _BadValueError(f'robots has "{name}" twice; delete one of them.')
        for one, other in self.links or ():
            if one == other:
                raise _BadValueError(f'links joins "{one}" to itself; name two robots.')
            for name in (one, other):
                if robots is not None and name not in robots:
                    raise _BadValueError(
                        f'links names "{name}", which is not among robots; {nearest(name, list(robots))}'
                    )


class Multirotor(msgspec.Struct, frozen=True):
    """A multirotor's own figures.

    drag: linear drag across the rotors' axis, N s/m, default none (estimated).
    quadratic_drag: quadratic drag along each body axis, N s²/m², default none (estimated).
    estimate_drag: whether drag is estimated along with the mass where neither is stated, default true.
    motor_lag: time constant of the thrust behind its command, s, default 0.0.
    throttle_map: collective thrust, N, at evenly spaced throttle from 0 to 100 %, default none (thrust is logged).
    mass_drift: how fast the mass may wander, as a share of it per √s, default none (the method's own).
    """

    drag: float | None = None
    quadratic_drag: float | None = None
    estimate_drag: bool = True
    motor_lag: float = 0.0
    throttle_map: tuple[float, ...] | None = None
    mass_drift: float | None = None

    def __post_init__(self) -> None:
        for key in ("drag", "quadratic_drag", "motor_lag", "mass_drift"):
            _not_negative(key, getattr(self, key))
        if self.throttle_map is not None and len(self.throttle_map) < 2:
            raise _BadValueError("throttle_map needs two numbers or more; give the thrust at 0 and 100 % at least.")
        for k, thrust in enumerate(self.throttle_map or ()):
            _not_negative(f"throttle_map[{k}]", thrust)


class Config(msgspec.Struct, frozen=True):
    """A whole configuration file.

    noise: table, sensor noise; default estimated from the log.
    inputs: table, how inputs behave between rows; default sampled.
    guess: table, first guesses; default none.
    team: table, robots and links; default a line in the order of the log.
    multirotor: table, a multirotor's own figures; default as listed there.
    gravity: m/s², three numbers in the world frame, default [0, 0, -9.81]; [0, 0, 0] for space.
    """

    noise: Noise = Noise()
    inputs: Inputs = Inputs()
    guess: Guess = Guess()
    team: Team = Team()
    multirotor: Multirotor = Multirotor()
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)

    def __post_init__(self) -> None:
        if not all(math.isfinite(component) for component in self.gravity):
            raise _BadValueError(f"gravity is {list(self.gravity)}; give three finite numbers.")


def load(path: str | Path, schema: type[Schema]) -> Schema:
    """Reads a TOML file into `schema`; every mistake in it is a `BadInput` that names the file and the key."""
    if Path(path).is_dir():
        raise BadInput(f"{path} is a folder; give the name of a TOML file.")
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise BadInput(f"{path} does not exist; check the name and the folder.") from None
    except UnicodeDecodeError:
        raise BadInput(f"{path} is not a UTF-8 text file; give a TOML file.") from None
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror}); check its permissions.") from None
    return parse(text, schema, str(path))


def parse(text: str, schema: type[Schema], origin: str) -> Schema:
    """Reads TOML text into `schema`; `origin` opens every error message."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{origin} is not TOML: {_toml_fault(str(error), text)}; mend it there.") from None
    info = msgspec.inspect.type_info(schema)
    for key, table in _unknown_keys(tables, info):
        raise BadInput(f'{origin}: there is no key "{key}"; {_hint(key, table, info)}')
    try:
        return msgspec.convert(tables, schema)
    except msgspec.ValidationError as error:
        raise BadInput(f"{origin}: {_type_fault(error, tables, info)}") from None


def _toml_fault(message: str, text: str) -> str:
    """What tomllib found and the line, which it does not number at the end of the file."""
    found = re.fullmatch(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", message, re.DOTALL)
    if not found:
        return " ".join(message.split())
    line = found[2] or str(len(text.rstrip().splitlines()) or 1)
    what = " ".join(found[1].split())
    return f"line {line}, {what[:1].lower()}{what[1:]}"


def _fields(info: Any) -> dict[str, Any]:
    """Key and type of every field of the Struct that `info` is, or may be beside None; empty where there is none."""
    structs = (kind for kind in _alternatives(info) if isinstance(kind, msgspec.inspect.StructType))
    return {field.encode_name: field.type for struct in structs for field in struct.fields}


def _alternatives(info: Any) -> tuple[Any, ...]:
    return info.types if isinstance(info, msgspec.inspect.UnionType) else (info,)


def _unknown_keys(value: Any, info: Any, above: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted name of every key that its table does not have, with the type of that table."""
    fields = _fields(info)
    for key, inner in value.items() if fields and isinstance(value, dict) else ():
        name = f"{above}.{key}" if above else key
        if key in fields:
            yield from _unknown_keys(inner, fields[key], name)
        else:
            yield name, info
    for kind in _alternatives(info):
        if isinstance(kind, msgspec.inspect.DictType) and isinstance(value, dict):
            for key, inner in value.items():
                yield from _unknown_keys(inner, kind.value_type, f"{above}.{key}")
        if isinstance(kind, msgspec.inspect.ListType | msgspec.inspect.VarTupleType) and isinstance(value, list):
            for k, inner in enumerate(value):
                yield from _unknown_keys(inner, kind.item_type, f"{above}[{k}]")


def _hint(name: str, table: Any, info: Any) -> str:
    """The nearest key of the same table; else the same key in another table; else the keys of this one."""
    key, siblings = name.rpartition(".")[2], list(_fields(table))
    elsewhere = [other for other in _all_keys(info) if other.rpartition(".")[2] == key]
    if elsewhere and not difflib.get_close_matches(key, siblings, n=1):
        place = "" if "." in elsewhere[0] else " above the first [table]"
        return f'did you mean "{elsewhere[0]}"{place}?'
    return nearest(key, siblings)


def _all_keys(info: Any, above: str = "") -> Iterator[str]:
    for key, inner in _fields(info).items():
        yield f"{above}{key}"
        yield from _all_keys(inner, f"{above}{key}.")


_WORDS = {"float": "a number", "int": "a whole number", "str": "text", "bool": "true or false"}
_WORDS |= {"array": "a list", "object": "a table"}


def _type_fault(error: msgspec.ValidationError, tables: Any, info: Any) -> str:
    """Msgspec's message in the reader's words: the dotted key, what was found, what is expected."""
    found = re.fullmatch(r"(.*?)(?: - at `\$\.?(.*)`)?", str(error), re.DOTALL)
    what, key = (found[1], found[2] or "") if found else (str(error), "")
    if isinstance(error.__cause__, _BadValueError):
        return f"{key}.{what}" if key else what
    value, kind = tables, info
    if "[...]" in key:  # in a table of free names, where msgspec does not say which
        return f"{key}: {what[:1].lower()}{what[1:]}; correct it."
    for step in re.findall(r"[^.\[\]]+", key):
        value = value[int(step)] if isinstance(value, list) else value[step]
        kind = _fields(kind).get(step)
    if isinstance(kind, msgspec.inspect.LiteralType):
        expected = " or ".join(f'"{choice}"' for choice in kind.values)
    elif match := re.match(r"Expected `([^`]*)`(?: of length (\d+))?", what):
        expected = " or ".join(_WORDS.get(word, word) for word in match[1].split(" | ") if word != "null")
        expected += f" of {match[2]}" if match[2] else ""
    else:
        return f"{key}: {what[:1].lower()}{what[1:]}; correct it." if key else f"{what}; correct it."
    return f"{key} is {_shown(value)}; give {expected}."


def _shown(value: Any) -> str:
    """A TOML value as a reader would name it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "a table"
    text = f'"{value}"' if isinstance(value, str) else " ".join(str(value).split())
    return text if len(text) <= 60 else f"{text[:60]}…"
