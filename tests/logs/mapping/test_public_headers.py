"""Headers that public loggers write: what is in such a table is found, asked for, or left alone."""

from pathlib import Path

import numpy as np
from foreign_tables import columns, text_table, ticks, values, xyzw

from steelyard.logs.mapping import Look, open_log


def test_topics_in_column_names_are_no_columns_of_ours(tmp_path: Path):
    """PlotJuggler and others name columns by topic and field; `identify` read such a table as ours, misspelt."""
    t = ticks(100, 24.9)
    table = {"timestamp": 1.7e9 + t} | columns("/ft_sensor/wrench_force_*", "xyz", values("force", t))
    table |= columns("/ft_sensor/wrench_torque_*", "xyz", values("torque", t))
    table |= columns("/imu_angular_velocity_*", "xyz", values("wrist rates", t))
    table |= columns("/imu_linear_acceleration_*", "xyz", values("wrist specific_force", t))
    looked = open_log([text_table(tmp_path / "run.csv", table)])
    assert isinstance(looked, Look)
    assert looked["rigid-body"].possible


def test_a_time_that_does_not_rise_is_none(tmp_path: Path):
    t = ticks(100, 10.0)
    table = {"time": np.sin(t)} | columns("q*", "xyzw", xyzw(t)) | columns("gyro_*", "xyz", values("rates", t))
    looked = open_log([text_table(tmp_path / "run.csv", table)])
    assert isinstance(looked, Look)
    assert "do not increase" in looked.mapping.times["run"].why
