"""TOML read into typed values, every mistake named; knows nothing of the keys, reads any `msgspec.Struct`."""

import difflib
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from steelyard.config._faults import BadValueError
from steelyard.errors import BadInput, nearest

Schema = TypeVar("Schema", bound=msgspec.Struct)


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
    return from_tables(tables, schema, origin)


def from_tables(tables: Mapping[str, Any], schema: type[Schema], origin: str) -> Schema:
    """Nested tables, as TOML would hold them, into `schema`; `origin` opens every error message."""
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
    if isinstance(error.__cause__, BadValueError):
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
