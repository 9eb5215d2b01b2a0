"""A known tool beside the load, offsets that drift, hands and shaking: what is stated helps, what disturbs is named."""

import msgspec
import numpy as np
import pytest

from steelyard.bench.wrist import disturbed
from steelyard.config import Config, Noise, Wrist
from steelyard.errors import BadInput
from steelyard.logs import Log
from steelyard.problems import identify
from steelyard.problems.rigid_body._tool import known_tool
from steelyard.report import write_urdf
from steelyard.worlds.wrist import WristScenario, simulate_wrist

TOOL = WristScenario(com_x=0.03, tilt=20.0)


def logged(scenario: WristScenario, seed: int) -> tuple[Log, Config]:
    columns = {name: value for name, value in simulate_wrist(scenario, seed).items() if not name.startswith("truth/")}
    noise = Noise(**{signal.replace("/", "_"): level for signal, level in scenario.noise.items()})
    return Log(columns.pop("time"), columns, "a wrist"), Config(noise=noise)


def left_out(log: Log, *signals: str) -> Log:
    kept = {name: c for name, c in log.columns.items() if not any(f"r1/{signal}/" in name for signal in signals)}
    return Log(log.time, kept, log.origin)


def weighed(scenario: WristScenario, seed: int, wrist: Wrist):
    log, config = logged(scenario, seed)
    return identify(log, "rigid-body", msgspec.structs.replace(config, wrist=wrist))


def test_what_comes_on_top_of_a_known_tool_is_the_load(tmp_path):
    """The tool is weighed first, written, and stated; a cube of 0.4 kg is picked up with it."""
    path = str(tmp_path / "tool.urdf")
    write_urdf(weighed(TOOL, 1, Wrist(tared=True, calibrated=True)), path)
    heavier = WristScenario(com_x=0.03, tilt=20.0, pick_mass=0.4, pick_time=0.0)
    answer = weighed(heavier, 2, Wrist(tared=True, calibrated=True, known=path))
    found = answer.robots["r1"]
    both = np.sqrt(2.0)  # the tool is as uncertain as the whole
    assert abs(found["mass"].value - 0.4) < 4.0 * both * found["mass"].std
    assert np.all(np.abs(found["com"].value - [0.03, 0.0, 0.15]) < 4.0 * both * found["com"].std)
    assert any("known tool" in note for note in answer.notes)


def test_a_tools_urdf_is_read_in_the_sensors_axes(tmp_path):
    """Turned by 90° about z, and away from the origin."""
    text = """<robot name="t"><link name="world"/><link name="tool"><inertial>
    <origin xyz="0.1 0 0.2" rpy="0 0 1.5707963267948966"/><mass value="2"/>
    <inertia ixx="0.01" iyy="0.02" izz="0.025" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"""
    (tmp_path / "tool.urdf").write_text(text)
    expected = [2.0, 0.2, 0.0, 0.4, 0.02 + 2 * 0.04, 0.01 + 2 * 0.05, 0.025 + 2 * 0.01, 0.0, -2 * 0.02, 0.0]
    np.testing.assert_allclose(known_tool(str(tmp_path / "tool.urdf")), expected, atol=1e-12)
    (tmp_path / "none.urdf").write_text('<robot name="t"><link name="tool"/></robot>')
    (tmp_path / "bad.urdf").write_text("<robot")
    for name, sentence in (("none.urdf", "0 links"), ("bad.urdf", "no XML"), ("missing.urdf", "not there")):
        with pytest.raises(BadInput, match=sentence):
            known_tool(str(tmp_path / name))


def test_offsets_that_drift_are_found_where_drift_is_stated():
    drifting = WristScenario(duration=20.0, drift=0.3, force_offset=5.0)
    mass = weighed(drifting, 0, Wrist(drift=0.3)).robots["r1"]["mass"]
    steady = weighed(WristScenario(duration=20.0, force_offset=5.0), 0, Wrist()).robots["r1"]["mass"]
    assert mass.status == "known"
    assert abs(mass.value - 1.0) < 4.0 * mass.std  # by chance 6e-5
    assert mass.std > steady.std  # an offset that may wander tells less of the weight


@pytest.mark.parametrize("seed", [0, 1])
def test_a_hand_on_the_load_is_named_and_the_load_is_weighed_without_it(seed):
    log, config = logged(WristScenario(force_offset=5.0, torque_offset=0.3), seed)
    answer = identify(disturbed(log, "a hand, three times, a fifth of the log", seed), "rigid-body", config)
    mass = answer.robots["r1"]["mass"]
    assert sum(event.kind == "contact" for event in answer.events) == 3
    assert mass.status == "known"
    assert abs(mass.value - 1.0) < 4.0 * mass.std  # by chance 6e-5


@pytest.mark.parametrize("seed", [2, 5])
def test_a_gyro_that_is_mounted_askew_needs_no_accelerometer_beside_it(seed):
    """3 degrees, with the velocity as the only other motion signal; no event is reported."""
    scenario = WristScenario(motion="wild", duration=8.0, mounting=3.0)
    log, config = logged(scenario, seed)
    answer = identify(left_out(log, "specific_force"), "rigid-body", config)
    mass = answer.robots["r1"]["mass"]
    assert mass.status == "known"
    assert abs(mass.value - 1.0) < 4.0 * mass.std
    assert answer.events == []


def test_calibrated_sensors_have_no_mounting_to_look_for():
    """From an orientation and an accelerometer, whose axes a quick motion tells to some degrees only."""
    log, config = logged(WristScenario(motion="wild", duration=8.0, orientation=True), 1)
    log = left_out(log, "twist/linear", "twist/angular")
    calibrated = msgspec.structs.replace(config, wrist=Wrist(calibrated=True))
    mass = identify(log, "rigid-body", calibrated).robots["r1"]["mass"]
    assert mass.status == "known"
    assert abs(mass.value - 1.0) < 4.0 * mass.std
