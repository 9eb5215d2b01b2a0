"""Units that nothing states: decided by the physics that shows them, else open, asked about, and never believed."""

from pathlib import Path

import foreign_runs
import numpy as np
import pytest
from foreign_runs import at, noisy
from foreign_tables import FLIP, columns, rotor_speeds, text_table, ticks
from test_detective import XYZ, flight, looked_at, of, wrist

from steelyard.config import Config
from steelyard.errors import BadInput
from steelyard.logs.mapping import Look, look_at, prepare, to_toml


def doubts(looked: Look, problem: str, config: Config | None = None) -> list[str]:
    return [one.sentence for one in prepare(looked, problem, config or Config()).open_units]


def question(looked: Look, *words: str) -> str:
    """The only question that has these words."""
    (found,) = [one for one in looked.mapping.questions if all(word in one for word in words)]
    return found


@pytest.mark.parametrize("factor", [1.0, 3.1, 12.0, 1 / 1.2])
def test_no_range_of_a_thrust_tells_its_unit(tmp_path, factor):
    """N, percent that never reaches 100, tenths of percent, m/s² over the mass."""
    table = flight()
    looked = looked_at(table | {"thrust": factor * table["thrust"]}, tmp_path)
    assert of(looked, "thrust").open_unit
    assert '"run".units = {thrust = "N"}' in question(looked, "thrust")
    (text,) = doubts(looked, "multirotor")
    assert "Nothing states that run: thrust is in N" in text


@pytest.mark.parametrize(("factor", "unit"), [(1.0, "N"), (3.1, "0.32258 N"), (1 / 9.80665, "kgf")])
def test_the_line_of_the_question_answers_it(tmp_path, factor, unit):
    table = flight()
    path = text_table(tmp_path / "run.csv", table | {"thrust": factor * table["thrust"]})
    (tmp_path / "map.toml").write_text(f'"run".units = {{thrust = "{unit}"}}\n')
    looked = look_at([path], tmp_path / "map.toml")
    assert not doubts(looked, "multirotor")
    assert not any("thrust" in one for one in looked.mapping.questions)
    from steelyard.logs.mapping._samples import samples

    assert np.allclose(samples(looked.recording, looked.mapping, "r1/thrust")[1][:, 0], table["thrust"], rtol=1e-4)


def test_a_thrust_stated_in_percent_is_no_thrust_in_newtons(tmp_path):
    table = flight()
    looked = looked_at(table | {"thrust [%]": 3.0 * table.pop("thrust")}, tmp_path)
    assert "r1/thrust" not in looked.mapping.signals
    assert "thrust = " in question(looked, "How much N is 1 of")


def test_a_written_mapping_keeps_an_open_unit_open(tmp_path):
    looked = looked_at(flight(), tmp_path)
    (tmp_path / "map.toml").write_text(to_toml(looked.mapping))
    assert doubts(look_at([tmp_path / "run.csv"], tmp_path / "map.toml"), "multirotor")
    (tmp_path / "map.toml").write_text(to_toml(looked.mapping).replace('"N?"', '"N"'))
    assert not doubts(look_at([tmp_path / "run.csv"], tmp_path / "map.toml"), "multirotor")


@pytest.mark.parametrize(("force", "torque"), [(1.0, 1.0), (1 / 4.4482216, 1 / 1.3558179), (1 / 9.80665, 1 / 9.80665)])
def test_a_force_at_a_wrist_is_tied_to_the_mass_alone(tmp_path, force, torque):
    """N, pounds and feet, kilograms and metres: the same log of another mass."""
    table = wrist()
    table |= {f"f{axis}": force * table[f"f{axis}"] for axis in XYZ}
    table |= {f"t{axis}": torque * table[f"t{axis}"] for axis in XYZ}
    looked = looked_at(table, tmp_path, "q")
    assert '"run".units = {fx = "N", tx = "N m"}' in question(looked, "fx")
    assert len(doubts(looked, "rigid-body")) == 1


@pytest.mark.parametrize("factor", [1e3, 39.37])
def test_a_lever_arm_shows_a_torque_that_is_not_in_newton_metres(tmp_path, factor):
    """N mm, and inches beside newtons."""
    table = wrist()
    looked = looked_at(table | {f"t{axis}": factor * table[f"t{axis}"] for axis in XYZ}, tmp_path, "q")
    assert "r1/wrench/torque" not in looked.mapping.signals
    question(looked, "In which unit is run:tx", "its mass centre would be")


def test_what_is_called_a_wrench_has_the_units_of_a_message_unless_it_is_counts(tmp_path):
    table = wrist()
    named = {f"wrench.{'force' if n[0] == 'f' else 'torque'}.{n[1]}": table.pop(n) for n in [*(f"f{a}" for a in XYZ)]}
    named |= {f"wrench.torque.{a}": table.pop(f"t{a}") for a in XYZ}
    assert not doubts(looked_at(table | named, tmp_path, "q"), "rigid-body")
    counts = {name: np.round(1000 * column) for name, column in named.items()}
    assert "whole numbers" in question(looked_at(table | counts, tmp_path, "q"), "wrench.force")


@pytest.mark.parametrize("factor", [1.0, 1 / 9.80665, 1e3 / 9.80665, 2048 / 9.80665])
def test_gravity_decides_the_unit_of_an_accelerometer(tmp_path, factor):
    table = flight()
    looked = looked_at(table | {f"acc_{a}": factor * table[f"acc_{a}"] for a in XYZ}, tmp_path)
    from steelyard.logs.mapping._samples import samples

    found = samples(looked.recording, looked.mapping, "r1/specific_force")[1]
    assert np.allclose(found, np.stack([table[f"acc_{a}"] for a in XYZ], 1), rtol=2e-3)
    assert not of(looked, "specific_force").open_unit


@pytest.mark.parametrize("without", [(" ",), ("gyro",), ("acc", "gyro")])
@pytest.mark.parametrize("unit", ["rad", "deg"])
def test_the_motion_decides_the_unit_of_angles(tmp_path, unit, without):
    """Those of a calm flight: in degrees they stay below a full turn in radians."""
    run = foreign_runs.flight(3, size=0.12, turn=0.1)
    t = ticks(100)
    table = {"t": t} | columns("p*", XYZ, noisy(at(t, run.motion.time, run.motion.position), 1e-3, 1))
    table |= columns("v*", XYZ, noisy(at(t, run.motion.time, run.motion.velocity), 0.01, 2))
    angles = noisy(at(t, run.motion.time, run.motion.angles()), 1e-3, 4) * (1.0 if unit == "rad" else 180 / np.pi)
    table |= columns("acc_*", XYZ, noisy(at(t, run.motion.time, run.motion.specific_force), 0.05, 5))
    table |= columns("gyro_*", XYZ, noisy(at(t, run.motion.time, run.motion.rates), 5e-3, 6))
    table |= dict(zip(("roll", "pitch", "yaw"), angles.T, strict=True)) | {"thrust": at(t, run.motion.time, run.thrust)}
    assert np.max(np.abs(angles)) < 6.3
    looked = looked_at(table, tmp_path, *without)
    assert of(looked, "attitude").unit == unit


@pytest.mark.parametrize(
    ("name", "column", "unit", "is_open"),
    [
        ("omega_*", lambda w: w, "rotor rad/s", True),  # may be rpm of large propellers
        ("rpm_*", lambda w: 30 / np.pi * w, "rpm", False),
        ("motor_*_hz", lambda w: w / (2 * np.pi), "Hz", False),
        ("erpm_*", lambda w: 7 * 30 / np.pi * w, "rpm", True),  # the number of poles is not in the file
        ("motor_*", lambda w: 0.8 * w / w.max(), "of one", False),
        ("motor_*", lambda w: 80 * w / w.max(), "%", True),  # or eight bits
        ("motor_*", lambda w: 100 * w / w.max(), "%", False),
        ("pwm_*", lambda w: 1000 + 700 * w / w.max(), "pwm", False),
        ("motor_*", lambda w: 1000 + 700 * w / w.max(), "pwm", True),  # or rad/s, or DShot
        ("motor_cmd_*", lambda w: np.round(40000 * w / w.max()), "pwm16", False),
        ("motor_cmd_*", lambda w: np.round(8191 * w / w.max()), "pwm16", True),  # or thirteen bits
        ("motor_* [us]", lambda w: 1000 + 700 * w / w.max(), "pwm", False),
    ],
)
def test_the_range_of_commands_and_speeds_tells_some_units(tmp_path, name, column, unit, is_open):
    table = {n: c for n, c in flight().items() if n != "thrust"}
    looked = looked_at(table | columns(name, "1234", column(rotor_speeds(table["t"]))), tmp_path)
    found = [of(looked, signal) for signal in ("motor", "rpm") if f"r1/{signal}" in looked.mapping.signals]
    assert [(one.unit, one.open_unit) for one in found] == [(unit, is_open)]
    assert is_open == bool(looked.mapping.questions)


def test_only_what_drives_the_answer_makes_it_doubtful(tmp_path):
    """A thrust whose unit is stated beside rotor speeds whose unit is not."""
    table = flight()
    table |= {"thrust [N]": table.pop("thrust")} | columns("omega_*", "1234", rotor_speeds(table["t"]))
    looked = looked_at(table, tmp_path)
    assert not doubts(looked, "multirotor")
    config = Config()
    import msgspec

    config = msgspec.structs.replace(
        config, multirotor=msgspec.structs.replace(config.multirotor, thrust_coefficient=1e-8)
    )
    assert doubts(looked, "multirotor", config)


@pytest.mark.parametrize(("volts", "published"), [(3.9, True), (3900.0, True), (16.2, False)])
def test_a_crazyflies_map_is_for_batteries_of_one_cell(tmp_path, volts, published):
    """Sixteen bits and four motors are any machine's: without the firmware's names the map is a question."""
    table = {n: c for n, c in flight().items() if n != "thrust"}
    table |= columns("pwm_*", "1234", np.round(40000 * rotor_speeds(table["t"]) / 2500)) | {
        "vbat": 0 * table["t"] + volts
    }
    looked = looked_at(table, tmp_path)
    assert ("r1/thrust" in looked.mapping.signals) == published
    assert not published or of(looked, "thrust").open_unit


@pytest.mark.parametrize(("factor", "unit"), [(1.0, "rad"), (180 / np.pi, "deg")])
def test_its_velocity_decides_the_unit_of_a_joints_position(tmp_path, factor, unit):
    t = ticks(100, 10)
    q = 0.1 * np.sin(t[:, None] + np.arange(6))
    table = (
        {"t": t}
        | columns("q_*", "012345", factor * q)
        | columns("qd_*", "012345", 0.1 * np.cos(t[:, None] + np.arange(6)))
    )
    table |= columns("tau_*", "012345", np.cos(t[:, None] * np.arange(1, 7)))
    assert of(looked_at(table, tmp_path), "joint/joint_1/position").unit == unit


@pytest.mark.parametrize("factor", [1e3, 1e2])
def test_a_position_in_other_units_is_found_in_a_world_that_points_down(tmp_path, factor):
    table = flight()
    q = np.stack([table[f"q{a}"] for a in "wxyz"], 1) * np.array([1, 1, -1, -1])
    table |= dict(zip([f"q{a}" for a in "wxyz"], q.T, strict=True))
    for stem in ("p", "v", "gyro_", "acc_"):
        scale = factor if stem == "p" else 1.0
        table |= {f"{stem}{a}": scale * sign * table[f"{stem}{a}"] for a, sign in zip(XYZ, FLIP, strict=True)}
    assert of(looked_at(table, tmp_path), "position").unit == {1e3: "mm", 1e2: "cm"}[factor]


def test_an_answer_of_an_open_unit_is_doubtful_and_says_which_line_mends_it(tmp_path):
    from steelyard.problems import answer

    table = {name: column[500:2000] for name, column in flight(50).items()}
    path = text_table(tmp_path / "run.csv", table | {"thrust": 3.1 * table["thrust"]})
    found = answer(prepare(look_at([path]), None, Config()), Config())
    mass = found["r1"].mass
    assert mass.status == "doubtful"
    assert mass.reason is not None
    assert '"run".units = {thrust = "N"}' in mass.reason
    assert not found.knows_something
    assert found.verdict.startswith("Doubtful: Nothing states")


def test_a_unit_that_is_open_asks_but_does_not_refuse_a_robot_of_ones_own(tmp_path):
    """No attitude: no problem of ours can be answered, but a model of the user's may be."""
    table = {name: column for name, column in flight(20).items() if name[0] in "tv"}  # time, thrust, velocity
    looked = looked_at(table, tmp_path)
    assert looked.mapping.unit_questions == (question(looked, "thrust"),)
    assert prepare(looked, "cart.py", Config()).open_units
    with pytest.raises(BadInput, match="cannot answer multirotor: missing") as refused:
        prepare(looked, "multirotor", Config())
    assert "Is run: thrust in N" not in str(refused.value)


@pytest.mark.parametrize(("unit", "factor"), [(".28 N", 0.28), ("0.28 N", 0.28), ("1e-3 N", 1e-3)])
def test_a_column_by_its_number_takes_a_multiple_of_a_unit(tmp_path, unit, factor):
    from steelyard.logs.mapping._samples import samples

    table = flight(20)
    path = text_table(tmp_path / "run.csv", table)
    place = list(table).index("thrust")  # the first column is the time
    (tmp_path / "map.toml").write_text(f'"run".units = {{"#{place}" = "{unit}"}}\n')
    looked = look_at([path], tmp_path / "map.toml")
    found = samples(looked.recording, looked.mapping, "r1/thrust")[1][:, 0]
    assert np.allclose(found, factor * table["thrust"], rtol=1e-5)
    assert not doubts(looked, "multirotor")


def test_prefixes_of_ardupilots_messages_alone_do_not_make_its_log(tmp_path):
    """Columns `IMU.acc_x` and `ATT.qw`: no field of these messages has such a name."""
    table = {"time": np.linspace(0.0, 10.0, 500)}
    for name in ("IMU.acc_x", "IMU.acc_y", "IMU.acc_z", "IMU.gyro_x", "IMU.gyro_y", "IMU.gyro_z"):
        table[name] = np.random.default_rng(len(table)).standard_normal(500) + 9.81 * name.endswith("acc_z")
    table |= {f"ATT.q{a}": np.full(500, float(a == "w")) + 1e-3 * np.sin(table["time"]) for a in "wxyz"}
    assert {"r1/attitude", "r1/specific_force"} <= set(looked_at(table, tmp_path).mapping.signals)


def test_telemetry_of_engines_may_differ_by_a_row(tmp_path):
    """Four instances of `ESC`, one of which lost its last row; it ended in an error of NumPy's."""
    chance = np.random.default_rng(1)
    for k, rows in enumerate((200, 200, 199, 200), 1):
        time = np.linspace(0.0, 20.0, 200)[:rows]
        text_table(tmp_path / f"ESC{k}.csv", {"TimeUS": 1e6 * time, "RPM": 5000.0 + chance.standard_normal(rows)})
    time = np.linspace(0.0, 20.0, 2000)
    angles = dict(zip(("Roll", "Pitch", "Yaw"), chance.standard_normal((3, 2000)), strict=True))
    text_table(tmp_path / "ATT.csv", {"TimeUS": 1e6 * time} | angles)
    assert look_at(sorted(tmp_path.glob("*.csv"))).recording.streams


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('"run".units = {thrst = "N"}', 'no field "thrst"'),
        ('"run".units = {thrust = "newtn"}', "not known"),
        ('"run".units = "N"', "units of"),
        ('"run".units = {thrust = "N"}\n["r1/thrust"]\nsource = ["run:thrust"]', "maps signals and states units"),
    ],
)
def test_mistakes_in_units_of_columns_are_named(tmp_path: Path, line, words):
    path = text_table(tmp_path / "run.csv", flight(20))
    (tmp_path / "map.toml").write_text(line + "\n")
    with pytest.raises(BadInput, match=words):
        look_at([path], tmp_path / "map.toml")
