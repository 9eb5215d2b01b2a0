"""Pages of the reference that are made from the code: configuration, signals, mapping keys, JSON, licences."""

import dataclasses
import itertools
import json
import re
import typing
from importlib import metadata

import msgspec

from steelyard import config, logs
from steelyard.logs.mapping import _toml
from steelyard.logs.mapping._source import SignalSource

CONFIGURATION = """# Configuration keys

Every key of a file for `--config`, from the schema of this version. An unknown key is an error that names the nearest
known one. [Configuration](../CONFIGURATION.md) explains them with an example.
"""
SIGNALS = """# Signals

Every signal of a log, from the vocabulary of this version. A column is `<robot>/<signal>/<axis>`; `base/`, `foot_left/`
and `foot_right/` may stand before a signal of a multibody robot. SI units, quaternions w, x, y, z. [Logs](../LOGS.md)
says what each problem reads.
"""
MAPPING = """# Mapping keys

Every key of a file for `--map`, from this version. [Anybody's log](../MAPPING.md) has examples.
"""
ANSWER = """# JSON and exit codes

| exit code | meaning |
|---|---|
| 0 | the command did its work |
| 1 | it failed or was interrupted; one sentence on standard error |
| 2 | bad usage or bad input; one sentence on standard error that names the remedy |
| 3 | it ran, and nothing that was asked for is known; the answer is on standard output |

Every command takes `--json` and then prints one object on standard output and nothing else there. Numbers are finite;
what is not known is `null`.

## identify

What `steelyard identify flight.csv --as multirotor --method ekf --json` prints for a simulated flight of 4 s. Lists are
cut after two entries.
"""
AFTER = """
`status` is `known`, `doubtful`, `not-yet-known`, `not-identifiable` or `failed`. `value` and `std` are null unless it
is `known`; a doubtful number stands under `doubtful_value`, `doubtful_std`. `std` has the shape of `value`; of a pose
it has six numbers, position then rotation vector. With `--series` there is also `"series": {robot: {quantity: {"time",
"value", "std"}}}`; for files of other tools, `"mapping"` as `look` prints it.

## look

`{"files", "streams": [{"name", "file", "rate", "rows", "start", "end", "fields"}], "clocks", "problems": [{"problem",
"possible", "missing", "mapping": {signal: {"source", "unit", "scale", "frame", "delay", "why"}}}]}`

## reproduce

`{"paper", "trials", "rows": [{"quantity", "unit", "published", "paper_method", "steelyard", "bound"}]}`: the measured
ones are RMS errors over the trials at the worst robot; null where there is none.

## bench

`{"rows": [{"key", "value", "unit", "peer", "ratio"}]}`: `ratio` is ours over the peer's, below 1 where we are ahead.
"""
LICENCES = """# Licences of dependencies

Steelyard is under Apache-2.0. What it is installed with, as the packages themselves state it, in the environment in
which this page was made. Nothing of it is copied into Steelyard; each is installed by `pip` from its own authors.
"""


def configuration() -> str:
    """One section a table, one row a key."""
    found, text = _keys(config.Config), CONFIGURATION
    plain = [(key, *found[key]) for key in found if not _struct(config.Config, key)]
    text += _section("Top of the file", "", plain)
    for key in found:
        if table := _struct(config.Config, key):
            text += _section(f"[{key}]", (table.__doc__ or "").partition("\n")[0], _rows(table))
    others = (config.JetEngine, config.Away, config.CutLinks, config.Lie, config.WrongClock)
    names = ("[[jets.engines]]", "kill, freeze", "cut", "lie", "clocks")
    for name, table in zip(names, others, strict=True):
        text += _section(name, (table.__doc__ or "").partition("\n")[0], _rows(table))
    return text


def signals() -> str:
    """One row a signal."""
    lines = [SIGNALS, "| signal | axes | unit | role | meaning |", "|---|---|---|---|---|"]
    for one in logs.SIGNALS:
        axes = "1, 2, …" if one.numbered else " or ".join(" ".join(axes) or "(none)" for axes in one.axes)
        lines.append(f"| `{one.name.replace('*', '<name>')}` | {axes} | {one.unit} | {one.role} | {one.meaning} |")
    return "\n".join(lines) + "\n"


def mapping() -> str:
    """The keys of a signal and of a stream's time."""
    fields = {field.name: field for field in dataclasses.fields(SignalSource)}
    docs = _field_docs(SignalSource)
    lines = [MAPPING, '## `["r1/wrench/force"]`: a signal', "", "| key | meaning |", "|---|---|"]
    lines += [f"| `{key}` | {docs.get(key, '')} |" for key in _toml._KEYS if key in fields]
    lines += ["", '## `["wrench"]`: the time of a stream', "", "`time = {…}` takes these keys:", ""]
    lines += [f"- `{key}`" for key in _toml._TIME_KEYS]
    return "\n".join(lines) + "\n"


def answer() -> str:
    """Exit codes, and an object as it is printed."""
    import steelyard as sy

    log = sy.simulate("multirotor", duration=4.0, profile="constant", seed=1)
    found = sy.identify(log, "multirotor", method="ekf").to_dict()
    shown = json.dumps(_short(found), indent=2, ensure_ascii=False)
    return f"{ANSWER}\n```json\n{shown}\n```\n{AFTER}"


def licences() -> str:
    """Direct dependencies by extra, and everything else that comes with them."""
    wanted: dict[str, list[str]] = {}
    for text in metadata.requires("steelyard") or ():
        name = re.split(r"[^\w.-]", text, maxsplit=1)[0]
        extra = re.search(r"extra == ['\"](\w+)['\"]", text)
        wanted.setdefault(_plain(name), []).append(extra[1] if extra else "core")
    lines = [LICENCES, "| package | licence | for |", "|---|---|---|"]
    every = {_plain(one.metadata["Name"]): one for one in metadata.distributions()}
    for name in sorted(every):
        if name in wanted and name != "steelyard":
            extras = ", ".join(dict.fromkeys(one for one in wanted[name] if one != "all"))
            lines.append(f"| {name} {every[name].version} | {_licence(every[name])} | {extras} |")
    missing = [name for name in wanted if name not in every and name != "steelyard"]
    if missing:
        lines += ["", f"Not installed here: {', '.join(sorted(missing))}."]
    lines += ["", "## What these bring along", "", "| package | licence |", "|---|---|"]
    lines += [f"| {name} | {_licence(every[name])} |" for name in sorted(every) if name not in wanted]
    return "\n".join(lines) + "\n"


def _licence(one: metadata.Distribution) -> str:
    stated = one.metadata.get("License-Expression")
    classifiers = [c.rpartition("::")[2].strip() for c in one.metadata.get_all("Classifier", []) if "License ::" in c]
    text = stated or ", ".join(classifiers) or (one.metadata.get("License") or "not stated").partition("\n")[0]
    return text[:80].replace("|", "/")


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _short(value):
    if isinstance(value, dict):
        return {key: _short(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_short(one) for one in value[:2]] + (["…"] if len(value) > 2 else [])
    return round(value, 6) if isinstance(value, float) else value


def _struct(table: type, key: str) -> type | None:
    kind = typing.get_type_hints(table)[key]
    return kind if isinstance(kind, type) and issubclass(kind, msgspec.Struct) else None


def _rows(table: type) -> list[tuple[str, str, str]]:
    return [(key, *words) for key, words in _keys(table).items()]


def _keys(table: type) -> dict[str, tuple[str, str]]:
    """Meaning and default of every key, as the class states them: `key: meaning, default …`."""
    text = re.sub(r"\n {8,}", " ", table.__doc__ or "")
    stated = dict(re.findall(r"^ {4}(\w+): (.+)$", text, re.MULTILINE))
    found = {}
    for field in msgspec.structs.fields(table):
        meaning, _, default = stated.get(field.name, "").rstrip(".").partition(", default ")
        if not default:
            meaning, _, default = stated.get(field.name, "").rstrip(".").partition("; default ")
        found[field.encode_name] = (meaning, default)
    return found


def _section(title: str, words: str, rows: list[tuple[str, str, str]]) -> str:
    lines = ["", f"## {title}", "", words, "", "| key | meaning | default |", "|---|---|---|"]
    return "\n".join(lines + [f"| `{key}` | {meaning} | {default} |" for key, meaning, default in rows]) + "\n"


def _field_docs(kind: type) -> dict[str, str]:
    """The docstring below each field of a dataclass."""
    import ast
    import inspect
    import textwrap

    body = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0].body  # type: ignore[attr-defined]
    found = {}
    for field, after in itertools.pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            found[field.target.id] = " ".join(str(after.value.value).split())  # type: ignore[attr-defined]
    return found
