"""The face: quick to import, one list of names, and answers by name."""

import subprocess
import sys

import numpy as np
import pytest

import steelyard as sy
from steelyard._face._identify import Findings
from steelyard.config import Noise
from steelyard.estimators import Estimate
from steelyard.problems import Identification, Quantities

SURFACE = {
    "read", "identify", "stream", "simulate", "plan", "export", "Log", "Config", "Estimate", "Online", "Model",
    "BadInput",
}  # fmt: skip


def test_the_stable_surface_is_whole_and_documented():
    assert set(sy.__all__) == SURFACE
    assert set(dir(sy)) >= SURFACE
    for name in SURFACE:
        assert getattr(sy, name).__doc__, name
        assert ">>> " in getattr(sy, name).__doc__, name  # test_doctests.py runs them
    with pytest.raises(AttributeError, match="no attribute 'indentify'"):
        _ = sy.indentify  # pyright: ignore[reportAttributeAccessIssue]


def test_importing_takes_a_tenth_of_a_second_and_wakes_neither_jax_nor_numpy():
    """Measured inside the process, as the interpreter's own start is not ours; the best of three, on a busy machine."""
    code = (
        "import time; begin = time.perf_counter(); import steelyard; took = time.perf_counter() - begin; "
        "import sys; print(took, 'jax' in sys.modules, 'numpy' in sys.modules)"
    )
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(3)]
    answers = [run.stdout.split() for run in runs]
    assert all(answer[1:] == ["False", "False"] for answer in answers)
    assert min(float(answer[0]) for answer in answers) < 0.1


def found() -> Identification:
    mass = Estimate.known(2.0, 0.1, "kg", None, 3.0)
    contact = Estimate.known([1.0, 2.0], [0.1, 0.2], "m", "world", 3.0)
    com = Estimate.unknown("not-identifiable", "m", "r1", 3.0, "The load hardly turned.")
    return Identification(
        "planar-load", "window", "log", {"r1": {"mass": mass, "contact/r2": contact, "com": com}}, (), ""
    )


def test_quantities_are_attributes_and_items():
    r1 = found()["r1"]
    assert r1.mass is r1["mass"]
    assert r1["contact/r2"].frame == "world"
    assert (r1.com.value, r1.com.std, r1.com.interval, r1.com.status) == (None, None, None, "not-identifiable")
    assert r1.com.reason == "The load hardly turned."
    lower, upper = r1["contact/r2"].interval or ((), ())
    np.testing.assert_allclose(lower, [1.0 - 0.196, 2.0 - 0.392])
    np.testing.assert_allclose(upper, [1.0 + 0.196, 2.0 + 0.392])


def test_a_wrong_name_is_answered_with_the_nearest_one():
    with pytest.raises(sy.BadInput, match=r'^There is no robot "r2"; .*"r1"'):
        found()["r2"]
    with pytest.raises(sy.BadInput, match=r'^There is no "contact/r3"; did you mean "contact/r2"'):
        found()["r1"]["contact/r3"]
    with pytest.raises(sy.BadInput, match='did you mean "mass"'):
        _ = found()["r1"].mas
    assert not hasattr(found()["r1"], "mas")
    assert found()["r1"].get("mas") is None
    assert "mas" not in found()["r1"]


def test_the_dictionary_is_the_json_of_the_command():
    answer = found().to_dict()
    assert list(answer) == ["problem", "method", "robots", "events", "verdict", "notes"]
    mass = {"value": 2.0, "std": pytest.approx(0.1), "unit": "kg", "frame": None, "status": "known"}
    mass |= {"trust": "believed", "reasons": []}
    assert answer["robots"]["r1"]["mass"] == mass
    assert answer["robots"]["r1"]["com"]["value"] is None
    assert "series" in found().to_dict(series=True)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: sy.identify("nowhere.csv", "multirotor"), "does not exist"),
        (lambda: sy.identify(log(), "multirotr"), 'did you mean "multirotor"'),
        (lambda: sy.identify(log(), "multirotor", {"nose": {}}), 'no key "nose"; did you mean "noise"'),
        (lambda: sy.identify(log(), "multirotor", {"noise": {"thrust": "x"}}), "give a number"),
        (lambda: sy.read(), "no file to read"),
        (lambda: sy.simulate("multirotr"), 'did you mean "multirotor"'),
        (lambda: sy.simulate("multirotor", duratoin=1.0), 'did you mean "duration"'),
        (lambda: sy.simulate("multirotor", duration="long"), "Expected `float`"),
        (lambda: sy.simulate("multirotor", seed=-1), "from 0 up"),
        (lambda: sy.plan("jets"), "Unknown scenario"),
        (lambda: sy.export("rigid-bodies", "out"), "no step"),
        (lambda: sy.export("multirotor", "out", name="A b"), "small letters"),
    ],
)
def test_bad_use_is_one_sentence(call, sentence):
    with pytest.raises(sy.BadInput, match=sentence) as error:
        call()
    assert "\n" not in str(error.value)


WRONG = {
    "a log that is a number": lambda: sy.identify(3, "multirotor"),
    "a log that is nothing": lambda: sy.identify(None, "multirotor"),
    "a problem that is a number": lambda: sy.identify(log(), 3),
    "a method that is a number": lambda: sy.identify(log(), "multirotor", method=4),
    "a configuration that is a list": lambda: sy.identify(log(), "multirotor", [1]),
    "a configuration with a wrong value": lambda: sy.identify(log(), "multirotor", sy.Config(noise=3)),
    "a path of bytes": lambda: sy.read(b"x"),
    "a stream of a number": lambda: sy.stream(3),
    "a stream with a number": lambda: sy.stream("multirotor", 7),
    "a stream by a number": lambda: sy.stream("multirotor", method=7),
    "a scenario that is a number": lambda: sy.simulate(4),
    "a setting that is text": lambda: sy.simulate("multirotor", duration="long"),
    "a plan of a number": lambda: sy.plan(7),
    "an export to nowhere": lambda: sy.export("multirotor", None),
    "a report to a number": lambda: Findings.write_report(None, 3),
    "a URDF to nothing": lambda: Findings.write_urdf(None, None),
    "a step of nothing": lambda: sy.Online(None, None, None),
    "a sample that is nothing": lambda: sy.Online(Still(), Still(), None),
    "a problem that is nothing": lambda: sy.stream(None),
    "a problem without a name": lambda: sy.identify(log(), ""),
    "an export of nothing": lambda: sy.export(None, "out"),
    "a progress that cannot be told": lambda: sy.identify(log(), "multirotor", progress=3),
    "a plan whose progress cannot be told": lambda: sy.plan("planar", progress=3),
    "a seed beyond all numbers": lambda: sy.simulate("multirotor", seed=10**40),
    "a key that is a number": lambda: sy.stream("multirotor", {3: 4}),
    "a path with a zero byte": lambda: sy.stream("multirotor", "a\0b.toml"),
    "a log with a zero byte": lambda: sy.read("a\0b.csv"),
    "a folder with a zero byte": lambda: sy.export("multirotor", "a\0b"),
    "a report with a zero byte": lambda: Findings.write_report(None, "a\0b"),
    "a path that is too long": lambda: sy.read("a" * 5000),
    "a mapping that is a number": lambda: sy.read("x.csv", map=3),
    "a robot that is a list": lambda: found()[["r1"]],
    "a quantity that is a list": lambda: found()["r1"][["mass"]],
    "an estimate that is known and has no number": lambda: sy.Estimate(None, None, "kg", None, 0.0, "known"),
    "a log of text": lambda: sy.Log(np.arange(2.0), {"r1/thrust": ["much", "more"]}),
    "a log without columns": lambda: sy.Log(np.arange(2.0), None),
    "a log with numbered columns": lambda: sy.Log(np.arange(2.0), {3: np.ones(2)}),
    "a log with a number for metadata": lambda: sy.Log(np.arange(2.0), {}, metadata=3),
    "a signal without a name": lambda: sy.Log(np.arange(2.0), {}).signal("r1", None),
    "rows between words": lambda: sy.Log(np.arange(2.0), {}).between("a", "b"),
    "the truth of nothing": lambda: sy.Log(np.arange(2.0), {}).truth(None),
    "the unit of nothing": lambda: sy.Log(np.arange(2.0), {}).unit(None),
    "a log without time": lambda: sy.Log("never", {}),
    "a log that goes backwards": lambda: sy.Log(np.array([1.0, 0.0]), {"r1/thrust": np.ones(2)}),
}


@pytest.mark.parametrize("call", WRONG.values(), ids=WRONG.keys())
def test_a_wrong_type_is_one_sentence(call):
    with pytest.raises(sy.BadInput) as error:
        call()
    assert "\n" not in str(error.value)
    assert str(error.value)[-1] in ".?"


class Still:
    """What has a step and a state, and is no estimator."""

    state = None

    def step(self) -> None: ...


def log() -> sy.Log:
    return sy.Log(np.array([0.0, 0.1]), {"r1/thrust": np.array([9.8, 9.8])}, "short")


def test_a_configuration_has_four_forms(tmp_path):
    from steelyard._face._inputs import config_from

    path = tmp_path / "noise.toml"
    path.write_text("[noise]\nthrust = 0.2\n")
    expected = sy.Config(noise=Noise(thrust=0.2))
    for given in (expected, path, str(path), {"noise": {"thrust": 0.2}}):
        assert config_from(given) == expected
    assert config_from({"noise": {"thrust": np.float64(0.2)}, "gravity": np.array([0.0, 0.0, -9.81])}) == expected
    assert config_from(None) == sy.Config()


def test_quantities_are_a_mapping():
    r1 = found()["r1"]
    assert list(r1) == ["mass", "contact/r2", "com"]
    assert len(r1) == 3
    assert "mass" in dir(r1)
    assert isinstance(r1, Quantities)
