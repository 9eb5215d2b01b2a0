"""Pages of the reference that are made from the code: configuration, signals, mapping keys, JSON, licences."""

import contextlib
import dataclasses
import itertools
import json
import re
import tempfile
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

What `steelyard look flight.csv --json` prints for the same flight; lists and tables are cut after two entries.
"""
ROWS = """
`mapping` says for each signal which fields it comes from; the keys are those of a file for `--map`.

## reproduce

{reproduce}

Its `rows` are of this shape:

{reproduce_rows}

## bench

`{{"rows": […]}}`, each of this shape:

{bench_rows}

## cover

`{{"problem", "method", "rows": […], "failures": […]}}`, each row of this shape:

{cover_rows}
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
    others = (config.JetEngine, config.Away, config.CutLinks, config.WrongMotion, config.WrongClock)
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
    lines += ["", '`units = {thrust = "N"}` states the units of columns where the signals are left to be found.']
    return "\n".join(lines) + "\n"


def answer() -> str:
    """Exit codes, objects as they are printed, and keys of others from the classes that are printed."""
    import steelyard as sy
    from steelyard.bench import BenchRow, CoverRow
    from steelyard.logs.mapping import look_at
    from steelyard.papers._reproduction import Reproduction, ReproductionRow

    log = sy.simulate("multirotor", duration=4.0, profile="constant", seed=1)
    found = sy.identify(log, "multirotor", method="ekf").to_dict()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        logs.write(log, "flight.csv")
        looked = look_at(("flight.csv",)).as_json()
    rows = ROWS.format(
        reproduce=_keys_table(Reproduction, Reproduction("", 0, (), (), ()).as_json()),
        reproduce_rows=_keys_table(ReproductionRow, ReproductionRow("", "").as_json()),
        bench_rows=_keys_table(BenchRow, BenchRow("", 0.0, "").as_json()),
        cover_rows=_keys_table(CoverRow, [*(field.name for field in dataclasses.fields(CoverRow)), "fits"]),
    )
    return f"{ANSWER}\n{_block(found)}\n{AFTER}\n{_block(looked, tables=2)}\n{rows}"


def _block(answer: dict, tables: int = 100) -> str:
    return f"```json\n{json.dumps(_short(answer, tables), indent=2, ensure_ascii=False)}\n```"


def _keys_table(kind: type, keys: typing.Iterable[str]) -> str:
    """Key, type and meaning as the class has them; a property has its docstring."""
    docs = _field_docs(kind)
    hints = {name: getattr(getattr(kind, name, None), "fget", None) for name in keys}
    lines = ["| key | type | meaning |", "|---|---|---|"]
    for key, computed in hints.items():
        source = typing.get_type_hints(computed)["return"] if computed else typing.get_type_hints(kind)[key]
        meaning = (computed.__doc__ if computed else docs.get(key, "")).strip()
        lines.append(f"| `{key}` | {_type_name(source)} | {meaning} |")
    return "\n".join(lines)


def _type_name(kind: object) -> str:
    """As a reader of JSON knows it."""
    arguments = typing.get_args(kind)
    if type(None) in arguments:
        return f"{' or '.join(_type_name(one) for one in arguments if one is not type(None))} or null"
    names = {str: "string", float: "number", int: "integer", bool: "boolean"}
    return names.get(kind, "list")  # type: ignore[call-overload]


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


def _short(value, tables: int = 100):
    """The same with long lists cut, and tables of more than this many entries that all have one shape."""
    if isinstance(value, dict):
        shown = list(value.items())
        same = len(shown) > tables and all(isinstance(one, dict) for one in value.values())
        cut = {key: _short(one, tables) for key, one in (shown[:tables] if same else shown)}
        return cut | ({"…": "…"} if same else {})
    if isinstance(value, list | tuple):
        return [_short(one, tables) for one in value[:2]] + (["…"] if len(value) > 2 else [])
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
