"""Wrong types, names, shapes and numbers, and objects that fail at being looked at: one sentence each, nothing lost.

What Python refuses before our code is reached (a missing argument, an unknown one) is not in the list.
"""

import functools
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest
from test_stream import compiled, numbers, rows

import steelyard as sy
from steelyard._face._identify import Findings
from steelyard._face._stream import FilterStream
from steelyard.config import Noise


class Hostile:
    """Whatever it is asked for, it raises."""

    def _refuse(self, *_: object) -> Any:
        raise RuntimeError("nobody looks at me")

    __str__ = __repr__ = __float__ = __int__ = __index__ = __array__ = __fspath__ = __iter__ = __len__ = _refuse
    __eq__ = __bool__ = __getitem__ = __format__ = __contains__ = __lt__ = __gt__ = __le__ = __ge__ = _refuse
    __hash__ = None  # type: ignore[assignment]


class HostileMapping(Mapping[str, Any]):
    """A mapping by its type, which raises when it is read."""

    def __getitem__(self, name: str) -> Any:
        raise RuntimeError("nobody reads me")

    def __iter__(self) -> Iterator[str]:
        raise RuntimeError("nobody reads me")

    def __len__(self) -> int:
        return 3


class HostileArray(np.ndarray):
    """An array that raises when it is copied."""

    def __array_finalize__(self, obj: object) -> None:
        if getattr(self, "armed", False):
            raise RuntimeError("nobody copies me")


def endless() -> dict[str, Any]:
    tables: dict[str, Any] = {}
    tables["noise"] = tables
    return tables


def short(**columns: Any) -> sy.Log:
    return sy.Log(np.array([0.0, 0.1]), {"r1/thrust": np.array([9.8, 9.8]), **columns}, "short")


NO_NAME = (
    3, 2.5, True, b"multirotor", "", [], ["multirotor"], {}, object(), Hostile(), "multirotr", "a\nb", "\0", "x" *
    10_000,
)  # fmt: skip
NO_PATH = (3, 2.5, None, True, b"x", [], {}, object(), Hostile(), "nowhere.csv", ".", "", "a\0b", "a" * 5000)
NO_CONFIG = (
    3, 2.5, True, b"x", [1], {1, 2}, object(), Hostile(), HostileMapping(), "nowhere.toml", ".", "a\0b", "a" * 5000,
    {"noise": 3}, {"noise": None}, {"noise": {"thrust": "x"}}, {"noise": {"thrust": -1.0}}, {"noise": {"thrust":
    math.nan}},
    {"noise": {"thrust": math.inf}}, {"noise": {"thrust": 10**400}}, {"noise": {"thrust": [1.0]}}, {"noise":
    {"thrst": 1.0}},
    {"nose": {}}, {3: 4}, {"noise": Hostile()}, {Hostile: 1}, {"gravity": [0.0, 0.0]}, {"gravity": "down"},
    {"gravity": [math.nan, 0.0, 0.0]}, {"gravity": 9.81}, {"team": {"robots": "r1"}}, {"team": {"links": [["r1"]]}},
    {"guess": {"mass": -1.0}}, {"guess": {"mass": 0.0}}, {"guess": {"mass": math.nan}}, {"guess": {"mass": "heavy"}},
    sy.Config(noise=3), endless(),
)  # fmt: skip
NO_SEED = (-1, 1.5, "1", None, True, math.nan, math.inf, 10**40, [1], object(), Hostile())
NO_DURATION = (
    -1.0, 0.0, math.nan, math.inf, -math.inf, 1e12, 10**400, "long", None, [1.0], True, object(), Hostile(),
)  # fmt: skip
NO_TIMES = (
    None, "never", 3.0, [], [[0.0, 0.1]], [0.1, 0.0], [0.0, 0.0], [0.0, math.nan], [0.0, math.inf], [0.0], object(),
    Hostile(),
    [10**400, 0.0], ["0", "x"], [None, 1.0], [0.0, 0.1j], {}, [0.0, 1.0, 2.0],
)  # fmt: skip
NO_COLUMN = (
    None, "much", 3.0, [], [1.0], [1.0, 2.0, 3.0], [[1.0, 2.0]], [1.0, math.inf], ["a", "b"], object(), Hostile(),
    [10**400, 1.0], [1.0, 2j], {}, [Hostile(), 1.0],
)  # fmt: skip
NO_PROGRESS = (3, None, "loud", [], object(), Hostile())

CALLS: dict[str, tuple[Callable[[Any], Any], tuple[Any, ...]]] = {
    "identify/log": (lambda x: sy.identify(x, "multirotor"), NO_PATH),
    "identify/problem": (lambda x: sy.identify(short(), x), NO_NAME),
    "identify/method": (lambda x: sy.identify(short(), "multirotor", method=x), NO_NAME),
    "identify/config": (lambda x: sy.identify(short(), "multirotor", x), NO_CONFIG),
    "identify/progress": (lambda x: sy.identify(short(), "multirotor", progress=x), NO_PROGRESS),
    "stream/problem": (lambda x: sy.stream(x), (*NO_NAME, None)),
    "stream/method": (lambda x: sy.stream("multirotor", method=x), NO_NAME),
    "stream/config": (lambda x: sy.stream("multirotor", x), NO_CONFIG),
    "stream/late": (lambda x: sy.stream("multirotor", late=x),
     (-1.0, math.nan, math.inf, "x", None, True, [], Hostile())),
    "simulate/scenario": (lambda x: sy.simulate(x), (*NO_NAME, None)),
    "simulate/seed": (lambda x: sy.simulate("multirotor", seed=x), NO_SEED),
    "simulate/duration": (lambda x: sy.simulate("multirotor", duration=x), NO_DURATION),
    "simulate/robots": (lambda x: sy.simulate("planar", robots=x), (0, -1, 1.5, 10**9, "two", None, Hostile())),
    "simulate/mass": (lambda x: sy.simulate("wrist", mass=x),
     (0.0, -1.0, math.nan, math.inf, "heavy", None, Hostile())),
    "simulate/unknown": (lambda x: sy.simulate("jets", **{x: 1.0}), ("duratoin", "", "x y", "self")),
    "plan/scenario": (lambda x: sy.plan(x), (*NO_NAME, None, "jets", "multirotor")),
    "plan/seed": (lambda x: sy.plan("planar", seed=x), NO_SEED),
    "plan/duration": (lambda x: sy.plan("spatial", duration=x), NO_DURATION),
    "plan/progress": (lambda x: sy.plan("planar", progress=x), NO_PROGRESS),
    "export/problem": (lambda x: sy.export(x, "out"), (*NO_NAME, None)),
    "export/folder": (lambda x: sy.export("multirotor", x),
     (3, None, b"x", [], Hostile(), "a\0b", "no/where/at/all")),
    "export/name": (lambda x: sy.export("multirotor", "out", name=x),
     (3, None, "", "A", "a b", "1a", "a" * 300, Hostile())),
    "export/log": (lambda x: sy.export("multirotor", "out", log=x), (3, b"x", [], Hostile(), "nowhere.csv", "a\0b")),
    "export/config": (lambda x: sy.export("multirotor", "out", config=x),
     (3, [1], {"nose": {}}, Hostile(), endless())),
    "read/file": (lambda x: sy.read(x), NO_PATH),
    "read/map": (lambda x: sy.read("x.csv", map=x), (3, b"x", [], {}, Hostile(), "nowhere.toml", "a\0b", "a" * 5000)),
    "report": (lambda x: Findings.write_report(None, x), (3, None, b"x", [], Hostile(), "a\0b", "a" * 5000)),
    "urdf": (lambda x: Findings.write_urdf(None, x), (3, None, b"x", [], Hostile(), "a\0b", "a" * 5000)),
    "log/time": (lambda x: sy.Log(x, {"r1/thrust": np.ones(2)}), NO_TIMES),
    "log/column": (lambda x: short(**{"r1/rpm/1": x}), NO_COLUMN),
    "log/columns": (lambda x: sy.Log(np.arange(2.0), x),
     (None, 3, "x", [], {3: np.ones(2)}, Hostile(), HostileMapping())),
    "log/metadata": (lambda x: sy.Log(np.arange(2.0), {}, metadata=x), (None, 3, "x", [], {3: "x"}, Hostile())),
    "log/signal": (lambda x: short().signal("r1", x), (None, 3, "", "thrst", b"thrust", [], Hostile())),
    "log/who": (lambda x: short().require(x, "thrust"), (None, 3, "", "r2", b"r1", [], Hostile())),
    "log/axes": (lambda x: short().signal("r1", "thrust", x), (3, [3], "x", ["x"], Hostile(), [None])),
    "log/truth": (lambda x: short().truth(x), (None, 3, b"mass", [], Hostile())),
    "log/unit": (lambda x: short().unit(x), (None, 3, b"time", [], Hostile())),
    "log/between": (lambda x: short().between(x, 1.0), ("a", None, [], 3.0, math.nan, 1j, Hostile())),
    "config/gravity": (lambda x: sy.Config(gravity=x),
     (3, "down", [0.0], [math.nan] * 3, None, Hostile(), [Hostile()] * 3)),
    "estimate": (lambda x: sy.Estimate(x, None, "kg", None, 0.0, "known"), (None, np.ones(1))),
    "config/noise": (lambda x: Noise(thrust=x), (-1.0, "x", math.nan, [1.0], Hostile(), 10**400)),
    "online": (lambda x: sy.Online(x, x, x), (None, 3, "x", [], object(), Hostile())),
}  # fmt: skip


def sentence_of(error: BaseException) -> str:
    text = str(error)
    assert "\n" not in text
    assert len(text) < 600  # a screen; what was given may have been of any length
    assert text[-1] in ".?"
    return text


@pytest.mark.parametrize("name", CALLS)
def test_bad_use_is_one_sentence(name: str, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    call, values = CALLS[name]
    for k, value in enumerate(values):
        with pytest.raises(sy.BadInput) as error:
            pytest.fail(f"{name}: value {k} was taken: {call(value)}")
        sentence_of(error.value)
    assert not list(tmp_path.iterdir())


def test_the_list_is_long():
    assert sum(len(values) for _, values in CALLS.values()) + len(SAMPLES) > 400


NO_TIME = (
    None, "now", math.nan, math.inf, -math.inf, 10**400, True, b"1", [1.0], [], {}, 1j, object(), Hostile(), 0.2,
    -5.0,
)  # fmt: skip
NO_READING = (
    "much", b"much", math.inf, -math.inf, 10**400, True, 1j, {}, object(), Hostile(), [Hostile()],
    np.datetime64("2026-11-18"),
    ["1"], [1.0, 2.0], np.eye(3), [[1.0]], [[1.0], [2.0, 3.0]], set(), {1.0}, lambda: 1.0, HostileMapping(),
)  # fmt: skip
NO_ATTITUDE = (
    [1.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0], [0.0] * 4, 1.0, np.eye(4), [2.0, 0.0, 0.0, 0.0], "wxyz", [1e200] * 4,
)  # fmt: skip
NO_SAMPLE = (
    None, 3, "x", b"x", [], (), set(), object(), Hostile(), HostileMapping(), {}, {"thrust": 9.8}, {3: 9.8, "time":
    1.5},
    {"time": 1.5, None: 1.0}, {"time": 1.5, b"thrust": 1.0}, {"time": 1.5, ("r1", "thrust"): 1.0}, {"time": 1.5,
    "r2/thrust": 9.8},
)  # fmt: skip
SAMPLES = (
    *NO_SAMPLE,
    *({"time": one, "thrust": 9.8} for one in NO_TIME),
    *({"time": 1.5, "thrust": one} for one in NO_READING),
    *({"time": 1.5, "attitude": one} for one in NO_ATTITUDE),
)


@functools.cache
def flown() -> list[dict]:
    return rows(sy.simulate("multirotor", duration=1.5, seed=3))


def test_a_stream_refuses_every_bad_sample_and_loses_nothing():
    """Between good samples, all bad ones: in the end the numbers are those of the good samples alone."""
    spoilt, clean = (FilterStream(compiled("ekf"), None, late=0.5) for _ in range(2))
    good, taken = flown(), []
    for k, sample in enumerate(good):
        for bad in SAMPLES[k % 4 :: 4] if k in (100, 101, 102, 103, 120, 121, 122, 123) else ():
            before = (spoilt.counts, spoilt.notes, spoilt.robot)
            try:
                spoilt.step(bad)
            except sy.BadInput as error:
                sentence_of(error)
            else:
                taken.append(SAMPLES.index(bad))
            assert (spoilt.counts, spoilt.notes, spoilt.robot) == before
        last, expected = spoilt.step(sample), clean.step(sample)
    assert not taken
    assert numbers(last.estimates) == numbers(expected.estimates)
    assert spoilt.counts == clean.counts == {"in order": len(good)}


def test_an_online_filter_refuses_every_bad_sample_and_loses_nothing():
    from steelyard.estimators import ExtendedKalman, Guess, Sample
    from steelyard.estimators import Noise as SensorNoise
    from steelyard.models import Model

    class Level(Model):
        def dynamics(self, state: Any, control: Any, dt: Any) -> Any:
            return state + dt * control

        def observe(self, state: Any, control: Any) -> Any:
            del control
            return state

        def idle(self, state: Any) -> Any:
            return 0.0 * state

    one = jnp.ones(1)
    estimator = ExtendedKalman(Level(), SensorNoise(one, 0.0 * one, one, 0.0 * one))
    good = Sample(jnp.asarray(0.1), one, one)
    online = sy.Online(estimator, estimator.init(Guess(one, one)), good, engine="xla")
    before = online.step(good)
    bad = (
        None,
        3,
        "x",
        {},
        object(),
        Hostile(),
        Sample(jnp.asarray(0.1), one, jnp.ones(2)),
        Sample(jnp.asarray(0.1), one, "x"),
    )
    bad += (Sample(jnp.asarray(0.1), Hostile(), one), Sample(jnp.asarray(0.1), one, {}))
    for each in bad:
        with pytest.raises(sy.BadInput) as error:
            online.step(each)
        sentence_of(error.value)
    assert online.time == pytest.approx(0.1)
    assert float(online.estimates["state"].value[0]) == float(before["state"].value[0])
