"""Configuration: defaults are what the docstrings say, and every mistake names file, key and remedy."""

import msgspec
import pytest

from steelyard.config import Config, Guess, Inputs, Multirotor, Noise, Team, load, parse
from steelyard.errors import BadInput

TABLES = (Noise, Inputs, Guess, Team, Multirotor, Config)

WHOLE = """
gravity = [0, 0, -1.62]
noise = { velocity = 0.01, rpm = 5 }
inputs.hold = "step"
[guess]
mass = 2
[team]
robots = ["r1", "r2", "r3"]
links = [["r1", "r2"], ["r2", "r3"]]
[multirotor]
drag = 0.3
throttle_map = [0, 10, 30]
"""


def test_nothing_said_is_all_defaults():
    assert parse("", Config, "a.toml") == Config()
    assert Config().gravity == (0.0, 0.0, -9.81)
    assert Config().inputs.hold == "sample"


def test_a_whole_file(tmp_path):
    (tmp_path / "a.toml").write_text("\ufeff" + WHOLE, encoding="utf-8")
    assert load(tmp_path / "a.toml", Config) == Config(
        gravity=(0.0, 0.0, -1.62),
        noise=Noise(velocity=0.01, rpm=5.0),
        inputs=Inputs("step"),
        guess=Guess(2.0),
        team=Team(("r1", "r2", "r3"), (("r1", "r2"), ("r2", "r3"))),
        multirotor=Multirotor(drag=0.3, throttle_map=(0.0, 10.0, 30.0)),
    )


def test_it_is_a_value():
    assert hash(parse(WHOLE, Config, "a.toml")) == hash(parse(WHOLE, Config, "a.toml"))


@pytest.mark.parametrize("table", TABLES)
def test_every_key_and_default_is_in_the_docstring(table):
    lines = {line.strip().partition(":")[0]: line for line in (table.__doc__ or "").splitlines()}
    for field in msgspec.structs.fields(table):
        line = lines[field.name]
        assert "default" in line
        if field.default is None:
            assert "default none" in line or table is Team
        elif isinstance(field.default, bool):
            assert f"default {str(field.default).lower()}" in line
        elif isinstance(field.default, float):
            assert f"default {field.default}" in line
        elif isinstance(field.default, str):
            assert f'default "{field.default}"' in line


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[noise]\nvelocty = 1", ["noise.velocty", 'did you mean "velocity"?']),
        ("[nose]\nvelocity = 1", ['"nose"', 'did you mean "noise"?']),
        ("zzz = 1", ['"zzz"', 'known are "noise"']),
        ("mass = 1", ['"mass"', 'did you mean "guess.mass"?']),
        ("[noise]\ngravity = [0, 0, 0]", ["noise.gravity", '"gravity" above the first [table]']),
        ("[noise]\nforce = 'big'", ['noise.force is "big"', "give a number"]),
        ("[noise]\nforce = true", ["noise.force is true", "give a number"]),
        ("[noise]\nforce = [1]", ["noise.force is [1]", "give a number"]),
        ("[noise.force]\nx = 1", ["noise.force is a table", "give a number"]),
        ("noise = 1", ["noise is 1", "give a table"]),
        ("[noise]\nvelocity = 0", ["noise.velocity is 0.0", "a standard deviation must be positive"]),
        ("[noise]\nrates = -0.1", ["noise.rates is -0.1", "a standard deviation must be positive"]),
        ("[noise]\nrpm = nan", ["noise.rpm is nan", "a standard deviation must be positive"]),
        ("[noise]\nrpm = inf", ["noise.rpm is inf", "a standard deviation must be positive"]),
        ("[inputs]\nhold = 'stp'", ['inputs.hold is "stp"', '"sample" or "step"']),
        ("[inputs]\nhold = 1", ["inputs.hold is 1", '"sample" or "step"']),
        ("[guess]\nmass = 0", ["guess.mass is 0.0", "a mass must be positive"]),
        ("gravity = [0, 1]", ["gravity is [0, 1]", "a list of 3"]),
        ("gravity = 9.81", ["gravity is 9.81", "give a list"]),
        ("gravity = [0, 0, 'g']", ['gravity[2] is "g"', "a number"]),
        ("gravity = [0, 0, nan]", ["gravity is [0.0, 0.0, nan]", "finite"]),
        ("[team]\nrobots = 'r1'", ['team.robots is "r1"', "a list"]),
        ("[team]\nrobots = []", ["team.robots is empty"]),
        ("[team]\nrobots = ['r1', 'r1']", ['team.robots has "r1" twice']),
        ("[team]\nrobots = ['truth']", ['team.robots has "truth"']),
        ("[team]\nlinks = [['r1']]", ["team.links[0]", "a list of 2"]),
        ("[team]\nlinks = [['r1', 2]]", ["team.links[0][1] is 2", "text"]),
        ("[team]\nlinks = [['r1', 'r1']]", ['team.links joins "r1" to itself']),
        ("[team]\nrobots = ['r1', 'r2']\nlinks = [['r1', 'q']]", ['team.links names "q"', '"r1", "r2"']),
        ("[multirotor]\ndrag = -1", ["multirotor.drag is -1.0", "not negative"]),
        ("[multirotor]\nmotor_lag = nan", ["multirotor.motor_lag is nan"]),
        ("[multirotor]\nestimate_drag = 1", ["multirotor.estimate_drag is 1", "true or false"]),
        ("[multirotor]\nthrottle_map = [1]", ["multirotor.throttle_map", "two numbers"]),
        ("[multirotor]\nthrottle_map = [1, -2]", ["multirotor.throttle_map[1] is -2.0"]),
        ("a =", ["not TOML", "line 1"]),
        ("\n\nx = 'a", ["not TOML", "line 3"]),
        ("gravity = [0, 0, 0]\n[noise]\n[noise]\n", ["not TOML", "line 3"]),
        ("[noise]\nrpm = 1\nrpm = 2", ["not TOML", "line 3"]),
        ("[noise]\nrpm = [1,\n", ["not TOML", "line 2"]),
    ],
)
def test_every_mistake_gets_its_sentence(tmp_path, text, words):
    path = tmp_path / "a.toml"
    path.write_text(text)
    with pytest.raises(BadInput) as caught:
        load(path, Config)
    sentence = str(caught.value)
    assert sentence.startswith(str(path))
    assert "\n" not in sentence
    assert sentence[-1] in ".?"
    assert sentence[-2] not in ".?"
    for word in words:
        assert word in sentence


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Noise(velocity=-1.0), "velocity is -1.0, but a standard deviation must be positive"),
        (lambda: Inputs(hold="stp"), "hold is"),  # pyright: ignore[reportArgumentType]
        (lambda: Guess(mass=float("nan")), "a mass must be positive"),
        (lambda: Multirotor(mass_drift=-1.0), "mass_drift is -1.0"),
    ],
)
def test_values_made_in_python_are_checked_too(make, words):
    with pytest.raises(BadInput, match=words):
        make()


def test_files_that_cannot_be_read(tmp_path):
    (tmp_path / "b.toml").write_bytes(b"\xff\xfe\x00")
    for name, words in (("no.toml", "does not exist"), ("", "is a folder"), ("b.toml", "not a UTF-8 text file")):
        with pytest.raises(BadInput, match=words) as caught:
            load(tmp_path / name, Config)
        assert str(tmp_path) in str(caught.value)


class Engine(msgspec.Struct, frozen=True):
    thrust: float
    fuel: str = "kerosene"


class Plant(msgspec.Struct, frozen=True):
    engine: list[Engine] = []
    named: dict[str, Engine] = {}
    spare: Engine | None = None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[engine]]\nthrust = 1\n[[engine]]\nthrst = 2", ['"engine[1].thrst"', '"thrust"']),
        ("[named.left]\nthrust = 1\nfule = 'x'", ['"named.left.fule"', '"fuel"']),
        ("[spare]\nthrust = 1\nfule = 'x'", ['"spare.fule"', '"fuel"']),
        ("[spare]\nfuel = 'x'", ["spare", "missing required field `thrust`"]),
        ("[[engine]]\nthrust = 'x'", ['engine[0].thrust is "x"', "a number"]),
        ("[named.left]\nthrust = 'x'", ["named", "expected `float`"]),
    ],
)
def test_any_schema_has_the_same_sentences(text, words):
    with pytest.raises(BadInput) as caught:
        parse(text, Plant, "plant.toml")
    for word in ("plant.toml", *words):
        assert word in str(caught.value)
