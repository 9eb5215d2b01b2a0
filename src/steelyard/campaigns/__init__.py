"""How do thousands of runs go? Local processes, `dask.distributed`, accelerators."""

from ._cluster import on_workers as on_workers
from ._simulated_filter import FilterCoverage as FilterCoverage
from ._simulated_filter import SimulatedMassFilter as SimulatedMassFilter
from ._simulated_filter import fly_simulated as fly_simulated
