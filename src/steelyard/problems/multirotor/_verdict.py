"""What the numbers of a multirotor are worth, as text."""

import numpy as np

from steelyard.estimators import Status
from steelyard.problems._consistency import believable
from steelyard.problems.multirotor._method import Track
from steelyard.problems.multirotor._quantities import quantities_of
from steelyard.problems.multirotor._reading import FlightRecord

SCALE_CAVEAT = (
    "The mass is relative to the thrust: if the logged thrust is 1 % too high throughout, so is the mass, and no "
    "flight can tell the two apart."
)
_REMEDY = "state the true noise in [noise], or look for what the model lacks (wind, ground contact, a late channel)"


def verdict_of(record: FlightRecord, track: Track) -> str:
    """For one robot."""
    final = {name: (value[-1], std[-1]) for name, value, std in quantities_of(track)}
    mass, std = final["mass"]
    if not np.isfinite(mass):
        thrust = np.nan_to_num(record.thrust)
        why = "hardly any thrust acted" if thrust.max() < 1.0 else "there is too little motion and thrust in this log"
        return f"{record.robot}: the mass cannot be told from this log, because {why}."
    text = f"{record.robot}: the mass is {mass:.4g} kg, known to {196 * std / mass:.2g} % (95 %)."
    if "drag" in final and np.isnan(final["drag"][0]):
        text += " Drag cannot be told from this motion: it hardly moved through the air."
    outliers = np.mean((track.status & int(Status.OUTLIER)) != 0)
    if outliers > 0.001:
        text += f" In {100 * outliers:.2g} % of the rows a reading was absurdly far off and hardly counted."
    return f"{text} {believable(track.innovation.value, track.innovation.variance, _REMEDY)}"
