"""A flight as impulses over blocks of time, in which Newton's law is linear."""

import numpy as np

from steelyard._rotations import matrices
from steelyard.config import Config
from steelyard.estimators import Sample
from steelyard.models import ImpulseControl
from steelyard.problems.multirotor._reading import FlightRecord


def impulses(record: FlightRecord, config: Config, block: float) -> Sample:
    """Integrals over blocks of time; rows that end no block are silent."""
    samples = record.samples()
    dt = np.asarray(samples.dt)
    R = matrices(record.attitude)
    R_mid = 0.5 * (R + np.concatenate([R[:1], R[:-1]]))
    v_body = np.einsum("nji,nj->ni", R, record.velocity)
    forces = (
        R_mid[:, :, 2] * samples.control.thrust[:, None],
        np.einsum("nij,nj->ni", R_mid, -v_body * [1.0, 1.0, 0.0]),
        np.einsum("nij,nj->ni", R_mid, -v_body * np.abs(v_body)),
    )
    ends = np.searchsorted(record.time, np.arange(record.time[0] + block, record.time[-1] + 1e-9, block))
    ends = np.unique(np.concatenate([[0], ends[ends < len(dt)]]))
    measured, *controls = (np.full((len(dt), 3), np.nan) for _ in range(4))
    if ends.size < 2:
        return Sample(dt, ImpulseControl(*controls), measured)
    for control, force in zip(controls, forces, strict=True):
        control[ends[1:]] = np.add.reduceat((force * dt[:, None])[: ends[-1] + 1], ends[:-1] + 1)
    span = (record.time[ends[1:]] - record.time[ends[:-1]])[:, None]
    measured[ends[1:]] = record.velocity[ends[1:]] - record.velocity[ends[:-1]] - np.asarray(config.gravity) * span
    return Sample(dt, ImpulseControl(*controls), measured)
