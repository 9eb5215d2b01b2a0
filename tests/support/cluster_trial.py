"""A trial that worker processes can import."""

import os
import signal
import time

import numpy as np


def trial(folder, seed):
    """Leaves a trace, and kills its own worker the first time that seed 5 is tried."""
    with open(folder / "tried", "a") as file:
        file.write(f"{seed} {os.getpid()} {os.environ['OPENBLAS_NUM_THREADS']}\n")
    if seed == 5 and not (folder / "killed").exists():
        (folder / "killed").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.02)
    return np.random.default_rng(seed).normal(size=50).tolist()
