"""What a new user does wrong: exit code 2, and one sentence that names the place and the remedy."""

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from hearing import hearing

from steelyard import logs
from steelyard._files import draft_prefix, whole_file
from steelyard.errors import BadInput


@pytest.fixture
def flight(flight_csv):
    """The first two seconds of a flight, as lines of text."""
    return flight_csv.read_text().splitlines()[:201]


def cell(lines, row, column, text):
    """The lines with one cell replaced; row 0 is the first after the header."""
    k = lines[0].split(",").index(column)
    cells = lines[row + 1].split(",")
    cells[k] = text
    return [*lines[: row + 1], ",".join(cells), *lines[row + 2 :]]


def without(lines, column):
    k = lines[0].split(",").index(column)
    return [",".join(c for i, c in enumerate(line.split(",")) if i != k) for line in lines]


def blank(lines, column):
    for row in range(len(lines) - 1):
        lines = cell(lines, row, column, "")
    return lines


def time_of(lines, row):
    return lines[row + 1].split(",")[0]


def in_degrees(lines, signal):
    """Roll, pitch and yaw of a turning robot where a quaternion is expected."""
    for row in range(1, len(lines)):
        for k, axis in enumerate("wxyz"):
            lines = cell(lines, row - 1, f"{signal}/{axis}", f"{10.0 * k + 0.1 * row:.1f}")
    return lines


SPOILT = {
    "an empty file": (lambda f: [], ["empty"]),
    "a header and no rows": (lambda f: f[:1], ["row"]),
    "a missing column": (lambda f: without(f, "r1/thrust"), ["r1/thrust", "missing"]),
    "a missing axis": (lambda f: without(f, "r1/rates/y"), ["r1/rates/y"]),
    "no time": (lambda f: without(f, "time"), ["time"]),
    "text in a number column": (lambda f: cell(f, 7, "r1/thrust", "high"), ["r1/thrust", "9", "high"]),
    "time that goes backwards": (lambda f: cell(f, 9, "time", "0.01"), ["10", "backwards"]),
    "time that stands still": (lambda f: cell(f, 9, "time", time_of(f, 8)), ["10", "still"]),
    "an all-NaN channel": (lambda f: blank(f, "r1/linear_velocity/z"), ["r1/linear_velocity/z", "empty"]),
    "attitudes in degrees": (lambda f: in_degrees(f, "r1/attitude"), ["r1/attitude", "quaternion"]),
    "an infinite thrust": (lambda f: cell(f, 3, "r1/thrust", "inf"), ["r1/thrust"]),
    "a single row": (lambda f: f[:2], ["row"]),
}


@pytest.mark.parametrize(("spoil", "named"), SPOILT.values(), ids=SPOILT.keys())
def test_a_spoilt_log_ends_with_one_sentence(steelyard, tmp_path, flight, spoil, named):
    path = tmp_path / "spoilt.csv"
    path.write_text("\n".join(spoil(flight)) + "\n" if spoil(flight) else "")
    assert_one_sentence(steelyard("identify", path, "--as", "multirotor"), ["spoilt.csv", *named])


def test_a_missing_file_is_told_at_once(steelyard):
    assert_one_sentence(steelyard("identify", "nowhere.csv", "--as", "multirotor"), ["nowhere.csv", "not exist"])


def test_an_unknown_problem_names_the_nearest(steelyard, flight_csv):
    assert_one_sentence(steelyard("identify", flight_csv, "--as", "multirotr"), ["multirotr", '"multirotor"'])


def test_an_unknown_method_names_the_nearest(steelyard, flight_csv):
    said = steelyard("identify", flight_csv, "--as", "multirotor", "--method", "efk")
    assert_one_sentence(said, ["efk", '"ekf"'])


CONFIGURATIONS = {
    "unreadable TOML": ("[noise\nposition = 1", ["line 1"]),
    "negative noise": ("[noise]\nposition = -0.1", ["noise.position", "positive"]),
    "an unknown key": ("[noise]\npositon = 0.1", ["noise.positon", '"position"']),
    "a guess of no mass": ("[guess]\nmass = 0.0", ["guess.mass", "positive"]),
    "a window of no rows": ("[multirotor]\nwindow = 0", ["multirotor.window is 0", "one row"]),
    "text for a number": ('[noise]\nthrust = "low"', ["noise.thrust", "number"]),
}


@pytest.mark.parametrize(("text", "named"), CONFIGURATIONS.values(), ids=CONFIGURATIONS.keys())
def test_a_bad_configuration_ends_with_one_sentence(steelyard, tmp_path, flight_csv, text, named):
    path = tmp_path / "robot.toml"
    path.write_text(text)
    said = steelyard("identify", flight_csv, "--as", "multirotor", "--config", path)
    assert_one_sentence(said, ["robot.toml", *named])


USAGE = {
    "no such command": (["identfy"], ['"identify"']),
    "no scenario": (["simulate"], ["multirotor"]),
    "no such scenario": (["simulate", "multirotr", "-o", "x.csv"], ['"multirotor"']),
    "no output": (["simulate", "multirotor"], ["--output"]),
    "no such option": (["simulate", "multirotor", "--sed", "3", "-o", "x.csv"], ["--sed", "--seed"]),
    "no such profile": (["simulate", "multirotor", "--profile", "x", "-o", "x.csv"], ["--profile", "steps"]),
    "a negative noise": (["simulate", "multirotor", "--motor-noise=-1", "-o", "x.csv"], ["--motor-noise"]),
    "a folder that is not there": (["simulate", "multirotor", "-o", "no/x.csv"], ["no/x.csv", "folder"]),
    "an unknown kind of file": (["simulate", "multirotor", "-o", "x.xlsx"], ["x.xlsx", ".csv"]),
    "nothing to identify": (["identify"], ["--as"]),
    "a data set of nothing": (["simulate", "sesame", "--repetitions", "0", "-o", "x"], ["--repetitions is 0"]),
    "a data set without a seed": (["simulate", "sesame", "--seed=-1", "-o", "x"], ["--seed is -1"]),
    "no such paper": (["reproduce", "sesam"], ['"sesame"']),
    "a window of zero": (["reproduce", "sesame", "--window", "0"], ["--window is 0"]),
    "a negative ridge": (["reproduce", "sesame", "--regularisation=-1"], ["--regularisation is -1"]),
    "a machine of nothing": (["reproduce", "sesame", "--nodes", "0"], ["--nodes is 0"]),
    "a share of a paper": (["reproduce", "sesame", "--trials", "30"], ["--trials is 30", "multiple of 25"]),
}


@pytest.mark.parametrize(("arguments", "named"), USAGE.values(), ids=USAGE.keys())
def test_bad_usage_ends_with_one_sentence(steelyard, tmp_path, monkeypatch, arguments, named):
    monkeypatch.chdir(tmp_path)
    assert_one_sentence(steelyard(*arguments), named)
    assert list(tmp_path.iterdir()) == []


def test_a_flight_shorter_than_the_window_is_told(steelyard, tmp_path, flight):
    path = tmp_path / "short.csv"
    path.write_text("\n".join(flight[:8]) + "\n")
    said = steelyard("identify", path, "--as", "multirotor", "--method", "swls")
    assert_one_sentence(said, ["7 rows", "10", "window"])


def test_a_bad_output_is_told_before_the_work(steelyard, flight_csv):
    said = steelyard("identify", flight_csv, "--as", "multirotor", "--report", "no/r.html")
    assert_one_sentence(said, ["no/r.html", "folder"])


@pytest.mark.parametrize("channel", ["r1/linear_velocity/x", "r1/thrust", "r1/rates/x", "r1/attitude/w"])
def test_a_gap_in_one_channel_is_no_error_and_widens_the_interval(steelyard, tmp_path, flight_csv, channel):
    log = logs.read(flight_csv)
    gap = (log.time > 5.0) & (log.time < 5.8)  # between two steps of the mass
    figures = tmp_path / "figures.toml"  # stated, so that the gap does not change them
    stated = {"position": 0.01, "attitude": 0.01, "linear_velocity": 0.03, "rates": 0.01, "thrust": 0.3}
    figures.write_text("\n".join(["[noise]", *(f"{name} = {std}" for name, std in stated.items())]))
    whole = identify_series(steelyard, flight_csv, figures)
    columns = {name: np.where(gap & (name == channel), np.nan, values) for name, values in log.columns.items()}
    path = tmp_path / "gap.csv"
    logs.write(logs.Log(log.time, columns), path)
    holed = identify_series(steelyard, path, figures)
    k = int(np.searchsorted(log.time, 5.75))
    assert holed["std"][k] > whole["std"][k]
    assert abs(holed["value"][-1] - whole["value"][-1]) < 3 * (holed["std"][-1] + whole["std"][-1])


def test_a_silent_channel_is_told_as_a_fault_and_its_return_as_recovered(steelyard, tmp_path, flight_csv):
    log = logs.read(flight_csv)
    gap = (log.time > 5.0) & (log.time < 5.8)
    columns = {n: np.where(gap & n.startswith("r1/position"), np.nan, v) for n, v in log.columns.items()}
    logs.write(logs.Log(log.time, columns), tmp_path / "gap.csv")
    _, out, _ = steelyard("identify", tmp_path / "gap.csv", "--as", "multirotor", "--method", "adaptive", "--json")
    told = [(event["kind"], event["quantity"]) for event in json.loads(out)["events"]]
    assert ("fault", "position") in told
    assert ("recovered", "position") in told


NOWHERE = "/proc" if sys.platform == "linux" else "/dev"  # folders in which nobody can make a file, not even root
UNWRITABLE = {
    "identify --report": ["identify", "FLIGHT", "--as", "multirotor", "--report", f"{NOWHERE}/report.html"],
    "identify --urdf": ["identify", "FLIGHT", "--as", "multirotor", "--urdf", f"{NOWHERE}/load.urdf"],
    "simulate": ["simulate", "multirotor", "-o", f"{NOWHERE}/flight.csv"],
    "export": ["export", "--as", "multirotor", "-o", f"{NOWHERE}/filter"],
    "reproduce": ["reproduce", "cdc14", "--report", f"{NOWHERE}/cdc14.html"],
    "demo": ["demo", "-o", f"{NOWHERE}/demo"],
}


@pytest.mark.parametrize("arguments", UNWRITABLE.values(), ids=UNWRITABLE.keys())
def test_a_folder_that_cannot_be_written_is_found_before_the_work(steelyard, flight_csv, monkeypatch, arguments):
    def work(*_: object, **__: object) -> None:
        raise AssertionError("the work has begun")

    monkeypatch.setattr("steelyard._jax.prepare_program", work)
    monkeypatch.setattr("steelyard.cli._simulate.prepare_program", work)
    given = [str(flight_csv) if one == "FLIGHT" else one for one in arguments]
    assert_one_sentence(steelyard(*given), [NOWHERE])


def test_a_folder_that_vanishes_meanwhile_is_no_fault_of_ours(tmp_path):
    folder = tmp_path / "gone"
    folder.mkdir()
    with pytest.raises(BadInput, match="cannot be written"), whole_file(folder / "log.csv"):
        shutil.rmtree(folder)


def test_a_full_disk_is_no_fault_of_ours_and_leaves_nothing(tmp_path):
    with pytest.raises(BadInput, match="No space left"), whole_file(tmp_path / "log.csv"):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert list(tmp_path.iterdir()) == []


def test_drafts_of_a_killed_process_are_removed_by_the_next_and_others_are_not(tmp_path):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    mine = tmp_path / f"{draft_prefix('log')}abc.csv"
    abandoned = tmp_path / mine.name.replace(f"-{os.getpid()}-", f"-{ended.pid}-")
    other = tmp_path / f"{draft_prefix('other')}abc.csv".replace(f"-{os.getpid()}-", f"-{ended.pid}-")
    for path in (mine, abandoned, other):
        path.touch()
    with whole_file(tmp_path / "log.csv") as draft:
        draft.write_text("whole")
    assert sorted(tmp_path.iterdir()) == sorted([mine, other, tmp_path / "log.csv"])


@pytest.mark.parametrize(
    ("error", "code", "hint"),
    [
        (MemoryError(), 1, "not enough memory"),
        (np.linalg.LinAlgError("Singular matrix"), 1, "Singular matrix"),
        (PermissionError(errno.EACCES, "Permission denied", "log.csv"), 2, "log.csv: Permission denied"),
        (OSError(errno.ENOSPC, "No space left on device"), 2, "the disk"),
    ],
    ids=lambda one: type(one).__name__,
)
def test_what_is_not_our_fault_is_not_called_so(steelyard, monkeypatch, error, code, hint):
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("steelyard.cli._main._dispatch", fail)
    found, _, err = steelyard("demo")
    assert found == code
    assert hint in err
    assert "fault of ours" not in err


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_leaves_no_half_written_file(tmp_path, kind):
    command = [sys.executable, "-m", "steelyard", "simulate", "multirotor", "--duration", "600", "-o", "flight.csv"]
    started = subprocess.Popen(hearing(command), cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60.0
    while not any(path.stat().st_size for path in tmp_path.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.01)  # until the draft of the file grows: it is being written now
    os.kill(started.pid, kind)
    _, err = started.communicate(timeout=60)
    assert started.returncode == 1
    assert ("interrupted" if kind == signal.SIGINT else "terminated") in err
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == []


def identify_series(steelyard, path, config):
    code, out, err = steelyard(
        "identify", path, "--as", "multirotor", "--config", config, "--method", "adaptive", "--json", "--series"
    )
    assert code == 0, err
    return json.loads(out)["series"]["r1"]["mass"]


def assert_one_sentence(said, named):
    code, out, err = said
    assert code == 2, (out, err)
    assert out == ""
    assert err.count("\n") == 1
    assert "Traceback" not in err
    for word in named:
        assert word in err, err


GLITCHES = {"r1/position/z": 50.0, "r1/linear_velocity/x": -400.0, "r1/linear_velocity/z": 1e30, "r1/thrust": 1e6}


@pytest.mark.parametrize(("channel", "reading"), GLITCHES.items(), ids=GLITCHES.keys())
def test_one_absurd_reading_does_not_ruin_a_flight(steelyard, tmp_path, flight_csv, channel, reading):
    log = logs.read(flight_csv)
    row = int(np.searchsorted(log.time, 5.0))
    columns = {name: values.copy() for name, values in log.columns.items()}
    columns[channel][row] = reading
    path = tmp_path / "glitch.csv"
    logs.write(logs.Log(log.time, columns), path)
    code, out, err = steelyard("identify", path, "--as", "multirotor", "--method", "adaptive", "--json", "--series")
    assert code == 0, err
    mass = json.loads(out)["series"]["r1"]["mass"]
    truth = log.truth("mass")
    assert truth is not None
    for k in (row + 80, len(log) - 1):  # still before the next step of the mass, and at the end
        assert mass["value"][k] is not None
        assert abs(mass["value"][k] - truth[k, 0]) < 4.5 * mass["std"][k]  # once in 10⁵ by chance
