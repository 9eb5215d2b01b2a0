"""Functions of time that vanish with their slopes at both ends of a window: products with them need no acceleration.

For every such function h, integration by parts takes the derivative from a signal to h ("modulating functions",
[shinbrot57]):

    integral of h alpha = - integral of h' omega

so the equations of motion, multiplied by h and integrated over its window, hold for readings as they are. Windows
overlap by half, and in each the functions are cosines under a common envelope whose squares add up to one over
neighbouring windows: a lapped orthogonal transform [princen87]. White noise is white after it, nothing is counted
twice, and a mode is a band of frequencies.
"""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

Modes = Float[Array, " modes"]


def modulating(since: Float[Array, ""], hop: float, modes: int) -> tuple[Modes, Modes]:
    """Values and slopes (1/s) of a window's functions `since` seconds after it began; it lasts for two `hop`s.

    Mode j is centred at (j + 1/2) / (2 hop) Hz.
    """
    inside = (since > 0.0) & (since < 2.0 * hop)
    x = 0.5 * np.pi * jnp.where(inside, since, 0.0) / hop
    # Vorbis' envelope sin(pi/2 sin^2 x): beside its value its derivative is zero at both ends, so a sum over samples is
    # an integral to fourth order in their spacing. That of sin x is not, and inertias of wild motions were seen to be
    # off by two deviations.
    bend = 0.5 * np.pi * jnp.sin(x) ** 2
    envelope, derivative = jnp.sin(bend), jnp.cos(bend) * 0.5 * np.pi * jnp.sin(2.0 * x) * 0.5 * np.pi / hop
    rates = np.pi / hop * (np.arange(modes) + 0.5)
    angle = rates * (jnp.where(inside, since, 0.0) + 0.5 * hop)
    value, change = envelope * jnp.cos(angle), derivative * jnp.cos(angle) - envelope * rates * jnp.sin(angle)
    return jnp.where(inside, value, 0.0), jnp.where(inside, change, 0.0)
