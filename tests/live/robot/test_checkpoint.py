"""A checkpoint brings back what a robot knew; one that does not fit, or that others could have written, does not."""

import os
import pickle
import struct
from pathlib import Path

import msgspec
import numpy as np
import pytest
from teams import PLANAR, SPATIAL, VirtualTeam, configured

from steelyard._serialise import NotOurs, classes_in, decode, encode
from steelyard.live.robot._checkpoint import NoCheckpoint, read_checkpoint, write_checkpoint

STATES = ("steelyard.team", "steelyard.estimators")
TEAMS = {"planar": PLANAR, "spatial": SPATIAL}


@pytest.fixture(scope="module", params=TEAMS)
def team(request) -> VirtualTeam:
    """A team that has taken samples for a second and a half."""
    found = VirtualTeam(configured(TEAMS[request.param], duration=4.0))
    found.advance(2.5, samples=False)
    found.advance(1.5)
    return found


@pytest.fixture
def written(team: VirtualTeam, tmp_path: Path) -> Path:
    path = tmp_path / "r2.checkpoint"
    write_checkpoint(path, team.nodes["r2"].checkpoint(team.clock("r2")))
    return path


def read(team: VirtualTeam, path: Path):
    return read_checkpoint(path, team.plan.name, "r2", type(team.nodes["r2"].estimation.agent).__qualname__)


def test_a_state_comes_back_as_it_was(team: VirtualTeam):
    """Sharing included: what is one object before is one object after."""
    classes, state = classes_in(*STATES), team.nodes["r2"].state
    data = encode(state, classes)
    assert encode(decode(data, classes), classes) == data


def test_equal_sets_are_equal_bytes():
    """Whatever was added and removed before: strings hash differently in every process, so many are tried."""
    names = [f"r{k}" for k in range(40)]
    grown = set(names)
    shrunk = {*names, *(f"x{k}" for k in range(1000))} - {f"x{k}" for k in range(1000)}
    assert encode(grown, {}) == encode(shrunk, {}) == encode(decode(encode(grown, {}), {}), {})


def test_a_robot_goes_on_from_its_checkpoint(team: VirtualTeam, written: Path):
    checkpoint = read(team, written)
    node = team.start("r2")
    node.resume(checkpoint)
    assert node.tick == team.nodes["r2"].tick
    assert node.clock.start == team.nodes["r2"].clock.start


class Attack:
    """What `pickle` would make a command of."""

    def __init__(self, trace: Path):
        self.trace = trace

    def __reduce__(self):
        return os.system, (f"touch {self.trace}",)


def attack(trace: Path) -> bytes:
    return pickle.dumps(Attack(trace))


def dotted(trace: Path) -> bytes:
    """The same by a module of ours that has imported `os`: pickle resolves `os.system` in it."""

    def text(one: bytes) -> bytes:
        return b"\x8c" + bytes([len(one)]) + one

    command = text(f"touch {trace}".encode())
    return b"\x80\x04" + text(b"steelyard._files") + text(b"os.system") + b"\x93" + command + b"\x85R."


@pytest.mark.parametrize("payload", [attack, dotted])
def test_a_pickle_that_would_run_a_command_is_refused_and_runs_nothing(team, written: Path, tmp_path, payload):
    trace = tmp_path / "trace"
    pickle.loads(payload(trace))
    assert trace.exists(), "the attack is one"
    trace.unlink()
    written.write_bytes(payload(trace))  # in the checkpoint's place
    with pytest.raises(NoCheckpoint):
        read(team, written)
    checkpoint = team.nodes["r2"].checkpoint(team.clock("r2"))
    state = msgspec.structs.replace(checkpoint, state=payload(trace))  # and inside it
    node = team.start("r2")
    with pytest.raises(NoCheckpoint):
        node.resume(state)
    assert node.tick == -1
    assert not trace.exists()


@pytest.mark.parametrize(
    "content",
    [
        ["object", "os:system"],
        ["object", "steelyard._files:os.system"],
        ["object", "subprocess:Popen", "args", ["list", "true"]],
        ["object", "steelyard.estimators._estimate:Estimate", "__class__", 1],
        ["object", "steelyard.live.robot._process:RobotProcess"],
        ["array", "|O", [1], "C", struct.pack("<q", 0)],
        ["array", "<f8", [10**9], "C", b""],
        ["again", 5],
        ["list", ["again", 0]],
        ["call", "os.system"],
        [],
    ],
)
def test_values_that_nobody_wrote_are_refused(content):
    with pytest.raises(NotOurs):
        decode(msgspec.msgpack.encode([1, content]), classes_in(*STATES))


def loosen(path: Path) -> None:
    path.chmod(0o622)


def loosen_folder(path: Path) -> None:
    path.parent.chmod(0o775)


def link(path: Path) -> None:
    other = path.with_name("other")
    path.rename(other)
    path.symlink_to(other)


def give_away(path: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can give a file to somebody else")
    os.chown(path, 54321, 54321)


def give_folder_away(path: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can give a folder to somebody else")
    os.chown(path.parent, 54321, 54321)


@pytest.mark.parametrize("change", [loosen, loosen_folder, link, give_away, give_folder_away])
def test_a_checkpoint_that_others_could_have_written_is_not_read(team, written: Path, change):
    assert read(team, written) is not None
    change(written)
    with pytest.raises(NoCheckpoint, match=r"not trusted|cannot be opened"):
        read(team, written)


def test_a_pipe_in_its_place_does_not_stop_the_robot(team, written: Path):
    written.unlink()
    os.mkfifo(written)
    with pytest.raises(NoCheckpoint, match="no regular file"):
        read(team, written)


@pytest.mark.parametrize("share", [0.0, 0.5, 0.999])
def test_a_damaged_checkpoint_is_refused_with_a_sentence(team, written: Path, share: float):
    data = written.read_bytes()
    written.write_bytes(data[: int(share * len(data))])
    with pytest.raises(NoCheckpoint):
        read(team, written)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"version": 1}, "format 1"),
        ({"robot": "r3"}, "of robot r3"),
        ({"team": "another"}, "of team another"),
        ({"agent": "Watcher"}, "Watcher"),
    ],
)
def test_a_checkpoint_of_somebody_else_is_refused_with_a_sentence(team, written: Path, change, why):
    checkpoint = read(team, written)
    write_checkpoint(written, msgspec.structs.replace(checkpoint, **change))
    with pytest.raises(NoCheckpoint, match=why):
        read(team, written)


def test_a_state_of_other_code_is_refused_and_a_robot_says_so(team, written: Path):
    checkpoint = msgspec.structs.replace(read(team, written), code="older")
    node = team.start("r2")
    with pytest.raises(NoCheckpoint, match="another version") as refused:
        node.resume(checkpoint)
    node.report_refused(written, str(refused.value))
    assert [event.kind for event in node.events] == ["checkpoint"]
    assert "starts afresh" in node.events[0].what


@pytest.mark.parametrize(
    "value",
    [np.arange(6.0).reshape(2, 3).T, np.zeros((0, 3)), np.array(1j), np.int8(3), np.float64("nan"), 2.0 + 1.0j, {1, 2}],
    ids=repr,
)
def test_data_comes_back_with_its_type_and_layout(value):
    found = decode(encode([value, value], {}), {})
    assert type(found[0]) is type(value)
    np.testing.assert_array_equal(found[0], value)
    if isinstance(value, np.ndarray):
        assert found[0] is found[1]
        assert (found[0].dtype, found[0].strides) == (value.dtype, value.strides)
