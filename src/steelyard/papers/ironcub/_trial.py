"""One simulated log, read once, and every method run over it."""

import dataclasses
import functools

import numpy as np

from steelyard.config import Config, parse
from steelyard.logs import Log
from steelyard.problems import (
    THRUST_METHODS,
    ConfiguredRobot,
    JetsRecord,
    ThrustTrack,
    ThrustTuning,
    read_jets_record,
    robot_from,
    run_thrusts,
    thrust_run,
)
from steelyard.worlds import JetsScenario, jets_config, simulate_jets

OURS = THRUST_METHODS["adaptive"]
PUBLISHED = THRUST_METHODS["published"]
CENTROIDAL = THRUST_METHODS["centroidal"]
ENGINES = THRUST_METHODS["engines"]


@dataclasses.dataclass(frozen=True, eq=False)
class SimulatedRun:
    """What is true, and what was recorded."""

    flight: JetsScenario
    robot: ConfiguredRobot
    config: Config
    record: JetsRecord
    columns: dict[str, np.ndarray]

    @property
    def time(self) -> np.ndarray:
        """(n,), s."""
        return self.record.time

    @property
    def thrust(self) -> np.ndarray:
        """True, (n, engine), N."""
        return np.stack([self.columns[f"truth/thrust/{name}"] for name in self.robot.names], axis=1)

    def run(self, tuning: ThrustTuning, rotor_speed: bool) -> ThrustTrack:
        """A method over the record, with rotor speeds or without."""
        record = self.record
        if not rotor_speed:
            record = dataclasses.replace(record, rpm=record.rpm[:, :0])
        return run_thrusts(thrust_run(record, self.robot, self.config, tuning))

    def errors(self, track: ThrustTrack) -> np.ndarray:
        """Estimated less true, (n, engine), as a share of each maximum."""
        return (np.asarray(track.state.thrust) - self.thrust) / self.robot.maximum

    def nees(self, track: ThrustTrack, rows: np.ndarray) -> float:
        """Of the thrusts, a dimension."""
        error = (np.asarray(track.state.thrust) - self.thrust)[rows]
        P = np.asarray(track.thrust_covariance)[rows]
        return float(
            np.mean(np.einsum("ni,ni->n", error, np.linalg.solve(P, error[..., None])[..., 0])) / error.shape[1]
        )


def simulate_run(flight: JetsScenario, seed: int) -> SimulatedRun:
    """Flown, recorded and read."""
    config, robot = _robot(jets_config(flight))
    columns = simulate_jets(flight, seed)
    log = Log(columns["time"], {name: values for name, values in columns.items() if name != "time"}, "simulation")
    return SimulatedRun(flight, robot, config, read_jets_record(log.without_truth(), "r1", robot, config), columns)


@functools.cache
def _robot(text: str) -> tuple[Config, ConfiguredRobot]:
    config = parse(text, Config, "the simulated robot")
    return config, robot_from(config)


def rms(errors: np.ndarray) -> np.ndarray:
    """Over time."""
    return np.sqrt(np.mean(errors**2, axis=0))
