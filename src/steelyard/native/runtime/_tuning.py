"""Numbers that tune how steps are compiled and run."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class RuntimeTuning:
    """Of the compiler that makes machine code of a step."""

    longest_compilation: float = 300.0
    """s. The largest step of ours takes about half a minute on one slow core; a compiler that takes ten times as long
    hangs, and the step runs through XLA instead."""
    loaded_campaigns: int = 64
    """Loops that a process keeps loaded; one is some 100 kB."""
    steps_a_share: int = 2_000
    """Steps of all flights below which one thread does them: two milliseconds, many times a thread's start."""
    shares_a_core: int = 4
    """Shares of the flights: a core that is slow, or busy otherwise, takes fewer of them."""
    flights_for_a_gpu: int = 4_096
    """Flights from which on `auto` takes a GPU: a thread each, and fewer leave most of it idle."""
    steps_for_a_gpu: int = 2_000_000
    """Steps of all flights from which on it does: they take a processor's core two seconds, NVRTC about as long."""
    share_of_gpu_memory: float = 0.6
    """Of what is free: the rest is for copies that change the order of axes."""
    portions_a_lane: int = 1
    """Of a campaign of NumPy arrays: a thread that is slow takes fewer of them."""
    flights_a_portion: int = 1_024
    """At least: eight blocks, so that some portions at a time fill a GPU, and many times a kernel's start."""
    transfer_threads: int = 10
    """That copy between the host and the GPU, each on a stream of its own: one fills memory at 3 to 10 GB/s, and the
    bus takes 50."""
    transfer_bytes: int = 1 << 23
    """Of each of a thread's two pinned buffers: sent in a tenth of a millisecond, many times a copy's start."""


TUNING = RuntimeTuning()
