"""The robot stands on two scales that drift with heat, its jets rise and fall [ironcub, Secs. V-B, V-D]."""

import dataclasses

import numpy as np

from steelyard.models import STANDARD_GRAVITY
from steelyard.papers.ironcub._trial import CENTROIDAL, ENGINES, OURS, PUBLISHED, SimulatedRun, simulate_run
from steelyard.papers.ironcub._tuning import TRIAL
from steelyard.problems import ThrustTrack
from steelyard.worlds import JetsScenario

_GRAVITY = -STANDARD_GRAVITY[2]


@dataclasses.dataclass(frozen=True, eq=False)
class StandingExperiment:
    """The experiment, and what the methods make of it."""

    run: SimulatedRun
    tracks: dict[str, ThrustTrack]
    corrected: np.ndarray
    """(n,), what the scales carry after their correction, N."""
    raw: np.ndarray
    """(n,), before it."""

    def ground(self, method: str) -> np.ndarray:
        """What the ground carries according to a method: weight less vertical thrust, N [ironcub, Eq. (9)]."""
        track = self.tracks[method]
        mass = self.run.robot.multibody.mass
        if track.state.log_mass.shape[1]:
            mass = mass * np.exp(np.asarray(track.state.log_mass)[:, 0])
        lift = np.einsum("ne,ne->n", self.run.record.thrust_matrix[:, 5], np.asarray(track.state.thrust))
        return mass * _GRAVITY - lift

    @property
    def weight(self) -> float:
        """Of the true robot, N."""
        return float(self.run.columns["truth/mass"][0]) * _GRAVITY

    def weight_error(self, method: str) -> float:
        """Largest |E_T| of [ironcub, Sec. V-B], N, against the corrected scales."""
        return float(np.abs(self.corrected - self.ground(method))[self._scored].max())

    def lift_error(self, method: str) -> float:
        """Largest error of the vertical force of the thrusts themselves, N; truth, not scales."""
        off = np.asarray(self.tracks[method].state.thrust) - self.run.thrust
        return float(np.abs(np.einsum("ne,ne->n", self.run.record.thrust_matrix[:, 5], off))[self._scored].max())

    @property
    def _scored(self) -> np.ndarray:
        return self.run.time >= TRIAL.settled


def stand(seed: int) -> StandingExperiment:
    """One experiment, its mass 3 % and its feet 2 N off."""
    flight = JetsScenario(
        trajectory="standing", duration=TRIAL.standing_seconds, mass_error=0.03 * (-1) ** seed, foot_bias=2.0
    )
    stood = simulate_run(flight, seed)
    methods = {"ours": OURS, "published": PUBLISHED, "centroidal": CENTROIDAL, "engines alone": ENGINES}
    tracks = {name: stood.run(tuning, rotor_speed=False) for name, tuning in methods.items()}
    raw = [stood.columns[f"r1/scale/{f}"] for f in (1, 2)]
    warm = [stood.columns[f"r1/scale_temperature/{f}"] for f in (1, 2)]
    corrected = sum(_corrected(stood.time, reading, heat) for reading, heat in zip(raw, warm, strict=True))
    return StandingExperiment(stood, tracks, np.asarray(corrected) * _GRAVITY, (raw[0] + raw[1]) * _GRAVITY)


def _corrected(time: np.ndarray, reading: np.ndarray, temperature: np.ndarray) -> np.ndarray:
    """In proportion to the temperature, such that both ends agree, where the jets are off [ironcub, Sec. V-B1]."""
    first, last = (time >= TRIAL.settled) & (time < TRIAL.settled + TRIAL.jets_off), time > time[-1] - TRIAL.jets_off
    rise = temperature[last].mean() - temperature[first].mean()
    scale_drift = (reading[last].mean() - reading[first].mean()) / rise
    return reading - scale_drift * (temperature - temperature[first].mean())
