"""One thing about a log is not as usual: physics finds it, or a sentence says what is wrong."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from foreign_autopilots import Topics, px4_v1_13, ticks, values
from foreign_tables import FLIP, TURN_Q, columns, text_table, the_flight
from test_foreign_logs import difference

from steelyard.errors import BadInput
from steelyard.logs.mapping import Look, SignalSource, look_at, open_log, prepare, to_toml

Table = dict[str, np.ndarray]
XYZ = "xyz"


def flight(rate: float = 100.0) -> Table:
    """A flight in usual units and axes, under usual names."""
    t = ticks(rate)
    table = {"t": t} | columns("q*", "wxyz", values("attitude", t)) | columns("p*", XYZ, values("position", t))
    table |= columns("v*", XYZ, values("velocity", t)) | columns("gyro_*", XYZ, values("rates", t))
    return table | columns("acc_*", XYZ, values("specific_force", t)) | {"thrust": values("thrust", t)}


def wrist(rate: float = 100.0) -> Table:
    """A load at a wrist, with the orientation of its sensor."""
    t = ticks(rate, 24.9)
    table = {"t": t} | columns("f*", XYZ, values("force", t)) | columns("t*", XYZ, values("torque", t))
    table |= columns("gyro_*", XYZ, values("wrist rates", t)) | columns("acc_*", XYZ, values("wrist specific_force", t))
    return table | columns("q*", "wxyz", values("wrist attitude", t))


def looked_at(table: Table, folder: Path, *without: str) -> Look:
    kept = {name: column for name, column in table.items() if not name.startswith(without or (" ",))}
    return look_at([text_table(folder / "run.csv", kept)])


def scaled(table: Table, stem: str, factor: float) -> Table:
    return {
        name: factor * column if name in [stem + axis for axis in XYZ] else column for name, column in table.items()
    }


def of(looked: Look, signal: str) -> SignalSource:
    return looked.mapping.signals[f"r1/{signal}"]


def turned(table: Table, R: np.ndarray) -> Table:
    """The attitude of a body that is turned by R against the sensor."""
    from scipy.spatial.transform import Rotation

    q = np.stack([table[f"q{axis}"] for axis in "xyzw"], axis=1)
    found = (Rotation.from_quat(q) * Rotation.from_matrix(R)).as_quat()
    return table | {f"q{axis}": found[:, k] for k, axis in enumerate("xyzw")}


@pytest.mark.parametrize("without", [("acc",), ("acc", "gyro"), ("gyro",), ("v",)])
def test_lengths_in_millimetres_are_found_by_how_fast_they_change(tmp_path, without):
    looked = looked_at(scaled(scaled(flight(), "p", 1e3), "v", 1e2), tmp_path, *without)
    assert of(looked, "position").unit == "mm"
    assert without == ("v",) or of(looked, "linear_velocity").unit == "cm/s"
    assert looked["multirotor"].possible


@pytest.mark.parametrize("without", [("acc",), ("acc", "gyro"), ("gyro",)])
def test_order_and_direction_of_a_quaternion_are_found_by_what_the_log_has(tmp_path, without):
    table = flight()
    w, x, y, z = (table.pop(f"q{axis}") for axis in "wxyz")
    looked = looked_at(table | {"q0": -x, "q1": -y, "q2": -z, "q3": w}, tmp_path, *without)
    assert of(looked, "attitude").order == "xyzw"
    assert of(looked, "attitude").inverse
    assert (
        difference(looked, "r1/attitude", the_flight(), 0.0) < 0.005
    )  # half its noise of 0.01 rad, as in a quaternion


@pytest.mark.parametrize("without", [("gyro",), (" ",)])
def test_an_attitude_at_a_wrist_is_turned_to_the_force_sensor(tmp_path, without):
    """Numbered, of a flange that is turned by 30°; read in another order it would fit gravity as well, turned again."""
    from scipy.spatial.transform import Rotation

    R = Rotation.from_euler("z", 30, degrees=True).as_matrix()
    straight, table = wrist(), turned(wrist(), R)
    for k, axis in enumerate("xyzw"):
        table[f"q{k}"] = table.pop(f"q{axis}")
    looked = looked_at(table, tmp_path, *without)
    one = of(looked, "attitude")
    assert one.order in ("wxyz", "xyzw")
    from steelyard.logs.mapping._rotations import matrices
    from steelyard.logs.mapping._samples import samples

    _, q = samples(looked.recording, looked.mapping, "r1/attitude")
    true = np.stack([straight[f"q{axis}"] for axis in "wxyz"], axis=1)
    true /= np.linalg.norm(true, axis=1, keepdims=True)
    up, true_up = (matrices(one)[:, 2] for one in (q, true))  # yaw cannot be told, nor does it matter
    assert np.degrees(np.arccos(np.clip(np.sum(up * true_up, axis=1), -1, 1))).max() < 3.0
    again = look_at([tmp_path / "run.csv"], _written(tmp_path, looked))
    assert np.array_equal(samples(again.recording, again.mapping, "r1/attitude")[1], q)


def _written(folder: Path, looked: Look) -> Path:
    (folder / "map.toml").write_text(to_toml(looked.mapping), encoding="utf-8")
    return folder / "map.toml"


def test_held_samples_count_once(tmp_path):
    table = flight()
    for name in [f"{stem}{axis}" for stem in "pv" for axis in XYZ]:
        table[name] = np.repeat(table[name][::10], 10)[: len(table["t"])]
    looked = looked_at(table, tmp_path)
    assert of(looked, "linear_velocity").held
    assert "new ones come at 10 Hz" in of(looked, "linear_velocity").why
    assert of(looked, "linear_velocity").delay == 0.0  # taken as samples, they would be 45 ms late
    again = look_at([tmp_path / "run.csv"], _written(tmp_path, looked))
    assert of(again, "position").held


@pytest.mark.parametrize(
    ("change", "signal", "words"),
    [
        (lambda t: t | {f"gyro_{a}": 0 * t["t"] for a in XYZ}, "rates", "it is 0 throughout"),
        (lambda t: t | {f"v{a}": 0 * t["t"] + 1 for a in XYZ}, "linear_velocity", "it is 1 throughout"),
        (lambda t: t | {"acc_z": 0 * t["t"] + 9.8}, "specific_force", "acc_z stands still"),
        (lambda t: t | {"acc_z": np.minimum(t["acc_z"], 10.5)}, "specific_force", "saturated at 10.5"),
        (lambda t: t | {"gyro_x": np.clip(t["gyro_x"], -0.3, 0.3)}, "rates", "saturated at 0.3"),
    ],
)
def test_a_sensor_that_fails_is_named_to_whoever_looks(tmp_path, change: Callable[[Table], Table], signal, words):
    looked = looked_at(change(flight()), tmp_path)
    remarks = looked.mapping.remarks(("found", "refused"))
    assert any(one.subject == f"r1/{signal}" and words in one.sentence for one in remarks)


def test_what_is_found_of_a_sensor_stands_in_the_notes_of_an_answer(tmp_path):
    from steelyard.config import Config

    table = flight()
    speeds = np.sqrt(np.maximum(table["thrust"], 0.1) / 8e-8)
    table |= {f"rpm_{k}": speeds * (0.5 if k == 3 else 1.0) for k in range(1, 5)}
    notes = prepare(open_log([text_table(tmp_path / "run.csv", table)]), "multirotor", Config()).notes
    assert any("Rotor 3 reads half" in note for note in notes)


def test_an_accelerometer_without_gravity_at_a_wrist_is_refused(tmp_path):
    from steelyard.logs.mapping._rotations import matrices

    table = wrist()
    g = 9.81 * matrices(np.stack([table[f"q{axis}"] for axis in "wxyz"], axis=1))[:, 2]
    table |= {f"acc_{axis}": table[f"acc_{axis}"] - g[:, k] for k, axis in enumerate(XYZ)}
    looked = looked_at(table, tmp_path, "q")
    assert not looked["rigid-body"].possible
    assert any("gravity is not in it" in text for text in looked["rigid-body"].missing)
    assert "r1/wrench/force" in looked["rigid-body"].mapping  # what is there stands in the answer


def test_grams_and_pounds_beside_a_force_are_weights(tmp_path):
    table = flight()
    thrust = table.pop("thrust")
    looked = looked_at(table | {"thrust [g]": thrust / 9.80665e-3}, tmp_path)
    assert of(looked, "thrust").unit == "gf"
    assert difference(looked, "r1/thrust", the_flight(), 0.0) < 0.3  # N: its noise
    table = wrist()
    table |= {f"f{axis} [lbf]": table.pop(f"f{axis}") / 4.4482216 for axis in XYZ}
    assert of(looked_at(table, tmp_path), "wrench/force").unit == "lbf"


def test_times_that_are_missing_may_be_stated_alone(tmp_path):
    table = wrist()
    del table["t"]
    path = text_table(tmp_path / "run.csv", table)
    looked = look_at([path])
    assert of(looked, "specific_force").unit == "m/s²"  # gravity shows without a time
    assert looked.as_json()["problems"]
    assert any('"run".time = {rate' in text for text in looked["rigid-body"].missing)
    (tmp_path / "times.toml").write_text('["run"]\ntime = {rate = 100.0}\n')
    assert look_at([path], tmp_path / "times.toml")["rigid-body"].possible


def test_what_a_stated_mapping_leaves_out_is_said(tmp_path):
    path = text_table(tmp_path / "run.csv", wrist())
    (tmp_path / "map.toml").write_text('["r1/wrench/force"]\nsource = ["run:fx", "run:fy", "run:fz"]\nunit = "N"\n')
    assert "map.toml does not state it" in look_at([path], tmp_path / "map.toml")["rigid-body"].missing[0]


def test_an_output_that_hardly_moves_is_no_motor(tmp_path):
    """A gimbal beside four motors."""
    from foreign_autopilots import pulses

    log, t, v = Topics(tmp_path / "servo.ulg"), ticks(50), ticks(10)
    log.add("vehicle_attitude", "float[4] q;", t, values("attitude", t) * TURN_Q)
    fields = "float x;float y;float z;float vx;float vy;float vz;"
    log.add("vehicle_local_position", fields, v, values("position", v) * FLIP, values("velocity", v) * FLIP)
    outputs = pulses(v, 16)
    outputs[:, 4] = 1500 + 5 * np.sin(3 * v)
    log.add("actuator_outputs", "float[16] output;", v, outputs)
    assert len(of(look_at(log.close()), "motor").source) == 4


def test_a_smaller_answer_says_what_is_missing_for_the_whole_one(tmp_path):
    from foreign_autopilots import pulses

    log, t = Topics(tmp_path / "inertial.ulg"), ticks(100)
    log.add("sensor_combined", "float[3] gyro_rad;float[3] accelerometer_m_s2;", t, values("rates", t) * FLIP,
            values("specific_force", t) * FLIP)  # fmt: skip
    log.add("actuator_outputs", "float[16] output;", t, pulses(t, 16))
    found = look_at(log.close())["multirotor"]
    assert found.possible
    assert any("the attitude" in text for text in found.without)
    assert not look_at(px4_v1_13(tmp_path))["multirotor"].without


def test_a_file_that_is_not_there_is_said_to_be_missing(tmp_path):
    with pytest.raises(BadInput, match="does not exist"):
        open_log([tmp_path / "flight.ulg"])
