"""How do thousands of runs go? Local processes, `dask.distributed`, accelerators."""

from ._cluster import on_workers as on_workers
from ._processes import all_of as all_of
from ._processes import has_workers as has_workers
from ._processes import in_processes as in_processes
from ._simulated_filter import FilterCoverage as FilterCoverage
from ._simulated_filter import SimulatedMassFilter as SimulatedMassFilter
from ._simulated_filter import fly_simulated as fly_simulated
from ._trial_cache import TrialCache as TrialCache
from ._trial_cache import clear_trials as clear_trials
