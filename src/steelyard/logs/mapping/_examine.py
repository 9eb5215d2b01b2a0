"""From a recording to its mapping: candidates by convention, tests by physics, one after the other."""

from collections.abc import Mapping

import numpy as np

from steelyard.logs._recording import Recording
from steelyard.logs.mapping._airborne import never_flies
from steelyard.logs.mapping._angles import settle_angle_unit
from steelyard.logs.mapping._ardupilot import ardupilot_sources
from steelyard.logs.mapping._clocks import settle_delays, settle_offsets
from steelyard.logs.mapping._compare import Alignment
from steelyard.logs.mapping._crazyflie import crazyflie_sources
from steelyard.logs.mapping._examination import Examination
from steelyard.logs.mapping._frames import (
    ORDERS,
    settle_attitude,
    settle_body,
    settle_sensor_axes,
    settle_world,
)
from steelyard.logs.mapping._handedness import settle_inverted
from steelyard.logs.mapping._open_units import refuse_other_kinds
from steelyard.logs.mapping._px4 import px4_sources
from steelyard.logs.mapping._ros import ros_sources
from steelyard.logs.mapping._sensors import refuse_still, report_faults, settle_held
from steelyard.logs.mapping._source import SignalMapping, SignalSource, TimeSource
from steelyard.logs.mapping._tables import headerless_question
from steelyard.logs.mapping._thrust import settle_commands, settle_thrust
from steelyard.logs.mapping._topics import all_table_sources
from steelyard.logs.mapping._units import (
    settle_accelerometer,
    settle_gyroscope_unit,
    settle_joint_positions,
    time_sources,
)
from steelyard.logs.mapping._velocities import settle_by_thrust, settle_position, settle_velocity, settle_velocity_frame
from steelyard.logs.mapping._wrench import (
    settle_wrench,
    settle_wrench_unit,
    settle_wrist_attitude,
    settle_wrist_gyroscope,
)


def candidates(recording: Recording) -> list[SignalSource]:
    """What names, types and conventions offer, the likelier first."""
    if recording.system == "px4":
        return px4_sources(recording)
    if recording.system == "ardupilot":
        return ardupilot_sources(recording)
    if recording.system == "crazyflie":
        return crazyflie_sources(recording)
    if recording.system in ("ros1", "ros2"):
        return ros_sources(recording)
    return all_table_sources(recording)


@np.errstate(all="ignore")  # what is not finite, or overflows, fails the tests
def examine(recording: Recording, times: Mapping[str, TimeSource] | None = None) -> SignalMapping:
    """The mapping of a recording, with its evidence; its clocks may be stated."""
    exam = Examination(recording, candidates(recording), dict(times or time_sources(recording)))
    if (question := headerless_question(recording)) is not None:
        exam.ask(question)
    refuse_other_kinds(exam)
    refuse_still(exam)
    settle_held(exam)
    settle_joint_positions(exam)
    settle_offsets(exam)
    for robot in exam.robots:
        settle_commands(exam, robot)
        settle_accelerometer(exam, robot)
        settle_angle_unit(exam, robot)
        flies = f"{robot}/wrench/force" not in exam.sources
        by_gravity = not flies and f"{robot}/specific_force" in exam.sources and _unordered(exam, robot)
        turning = flies or (f"{robot}/rates" in exam.sources and not by_gravity)
        alignment = _settle_turning(exam, robot, turning)
        if flies:
            settle_sensor_axes(exam, robot, alignment)
            settle_inverted(exam, robot)
        settle_wrench(exam, robot)
        settle_wrist_attitude(exam, robot)
        if flies:
            settle_world(exam, robot)
            settle_body(exam, robot)
            settle_by_thrust(exam, robot)
            settle_velocity_frame(exam, robot)
            settle_velocity(exam, robot)
            settle_position(exam, robot)
        else:
            settle_wrist_gyroscope(exam, robot)
        settle_delays(exam, robot)
        settle_thrust(exam, robot)
        settle_wrench_unit(exam, robot)
    _refuse_unknown(exam)
    exam.findings += never_flies(recording, SignalMapping(exam.sources, exam.times))
    report_faults(exam)
    return SignalMapping(
        exam.sources, exam.times, tuple(exam.findings), tuple(exam.questions), tuple(exam.unit_questions)
    )


def _settle_turning(exam: Examination, robot: str, turning: bool) -> Alignment | None:
    """Attitude and gyroscope against each other, once more for each gyroscope in the place of a refused one."""
    signal = f"{robot}/rates"
    while True:
        gyroscope = exam.sources.get(signal)
        alignment = settle_attitude(exam, robot) if turning else None
        settle_gyroscope_unit(exam, robot, None if alignment is None else alignment.scale)
        now = exam.sources.get(signal)
        if gyroscope is None or now is None or now.source == gyroscope.source:
            return alignment


def _refuse_unknown(exam: Examination) -> None:
    """What no test has given a unit or an order is not used: its samples are too few, or nothing else shows it."""
    for signal in list(exam.sources):
        while (one := exam.sources.get(signal)) is not None and (one.unit == "?" or one.order in ORDERS):
            if not all(exam.times[stream].known for stream in one.streams):  # its times are asked for first
                break
            what = "unit" if one.unit == "?" else "order of its numbers"
            exam.refuse(signal, f"nothing shows the {what}.")


def _unordered(exam: Examination, robot: str) -> bool:
    """Whether nothing names the scalar part of a quaternion: a force sensor's axes fit both orders."""
    one = exam.sources.get(f"{robot}/attitude")
    return one is not None and one.order == "?"
