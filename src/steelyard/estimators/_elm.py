"""Extreme learning machines: random hidden nodes, output weights by least squares."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from steelyard.errors import BadInput
from steelyard.estimators._tuning import ELM
from steelyard.models import Numbers


class RandomFeatures(eqx.Module):
    """A layer of sigmoid nodes that are drawn once and never trained, [sesame, Eqs. (24)-(26)].

    Inputs are standardised by `mean` and `std` first, which are fixed here: a node must mean the same for the first
    sample and for the last. Make one by `draw`, or by `for_inputs` from the inputs at hand.
    """

    mean: Float[Array, " input"]
    std: Float[Array, " input"]
    hidden_weights: Float[Array, "hidden input"]
    hidden_biases: Float[Array, " hidden"]

    @staticmethod
    def draw(
        key: PRNGKeyArray, nodes: int, mean: Numbers, std: Numbers, spread: float = ELM.spread
    ) -> "RandomFeatures":
        """Nodes with normal weights and biases, for inputs of known mean and standard deviation.

        Weights shrink with the square root of the number of inputs, so that a node sees `spread` whatever that is.
        """
        mean, std = np.asarray(mean, float), np.asarray(std, float)
        if nodes < 1:
            raise BadInput(f"A machine of {nodes} nodes cannot learn; give at least 1.")
        if mean.ndim != 1 or mean.size == 0 or mean.shape != std.shape:
            raise BadInput(f"mean has shape {mean.shape} and std {std.shape}; give one number an input in both.")
        if not (np.isfinite(mean).all() and np.isfinite(std).all() and (std > 0).all()):
            raise BadInput(
                "The mean or std of some input is not finite, or its std is not above 0; mend it, or leave it out."
            )
        if not 0 < spread < np.inf:
            raise BadInput(f"spread is {spread:g}; give a number above 0, for instance {ELM.spread:g}.")
        of_weights, of_biases = jax.random.split(key)
        hidden_weights = spread / np.sqrt(mean.size) * jax.random.normal(of_weights, (nodes, mean.size))
        hidden_biases = spread * jax.random.normal(of_biases, (nodes,))
        return RandomFeatures(jnp.asarray(mean), jnp.asarray(std), hidden_weights, hidden_biases)

    @staticmethod
    def for_inputs(key: PRNGKeyArray, nodes: int, inputs: Numbers, spread: float = ELM.spread) -> "RandomFeatures":
        """Nodes for inputs like these, a row a sample; rows that are not finite do not count.

        An input that never changes in them is centred and left at its own scale.
        """
        inputs = _table("inputs", inputs)
        inputs = inputs[np.isfinite(inputs).all(axis=1)]
        if not len(inputs):
            raise BadInput("The inputs have no finite row to take statistics from; give at least one.")
        mean, std = inputs.mean(axis=0), inputs.std(axis=0)
        constant = std <= 1e-12 * np.abs(inputs).max(axis=0)
        return RandomFeatures.draw(key, nodes, mean, np.where(constant, 1.0, std), spread)

    @property
    def nodes(self) -> int:
        """How many."""
        return self.hidden_biases.shape[0]

    @property
    def inputs(self) -> int:
        """How many numbers a node looks at."""
        return self.mean.shape[0]

    def __call__(self, inputs: Float[Numbers, "*batch input"]) -> Float[Array, "*batch hidden"]:
        """The outputs of the nodes, each from 0 to 1."""
        inputs = jnp.asarray(inputs)
        z = (inputs - jnp.broadcast_to(self.mean, inputs.shape)) / jnp.broadcast_to(self.std, inputs.shape)
        before = z @ self.hidden_weights.T
        return jax.nn.sigmoid(before + jnp.broadcast_to(self.hidden_biases, before.shape))


class Elm(eqx.Module):
    """A fitted machine; a value, to be had from `fit_elm`, `fit_relm` or `OnlineElm.machine`."""

    features: RandomFeatures
    weights: Float[Array, "hidden output"]
    learnt: int
    """Samples it was fitted to."""
    dropped: int
    """Samples that were left out because a number in them was not finite."""

    @property
    def norm(self) -> Float[Array, ""]:
        """Of the weights: of two machines that fit alike, the smaller one is likely to generalise better."""
        return jnp.sqrt(jnp.sum(self.weights**2))

    def predict(self, inputs: Float[Numbers, "*batch input"]) -> Float[Array, "*batch output"]:
        """The targets that belong to these inputs, [sesame, Eq. (24)]."""
        return self.features(inputs) @ self.weights


def fit_elm(features: RandomFeatures, inputs: Numbers, targets: Numbers, counts: Numbers | None = None) -> Elm:
    """The smallest weights among those that fit best, [sesame, Eq. (27)].

    `inputs` and `targets` have a row a sample. Rows with a number that is not finite are dropped, and counted in
    `dropped`: sensors fall silent, and a log with gaps is still a log. A sample counts as many times as its entry in
    `counts`, which need not be whole; once, if there are none.

    By orthogonal factorisation. The paper's normal equations square a condition number that for a few hundred sigmoids
    is beyond float64 already; what is not determined to rounding gets no weight at all.
    """
    return _fit(features, inputs, targets, 0.0, counts)


def fit_relm(
    features: RandomFeatures, inputs: Numbers, targets: Numbers, regularisation: float, counts: Numbers | None = None
) -> Elm:
    """Weights that fit well and stay small: least squares plus `regularisation` times their square.

    [sesame, Eqs. (28)-(29)], solved as least squares with one more row a node that asks its weight to be zero, so that
    the condition number is not squared. Without regularisation it is `fit_elm`; data are treated as there.
    """
    if not 0 <= regularisation < np.inf:
        raise BadInput(f"regularisation is {regularisation:g}; give a finite number from 0 up, for instance 1e-5.")
    return _fit(features, inputs, targets, float(regularisation), counts)


def _fit(
    features: RandomFeatures, inputs: Numbers, targets: Numbers, regularisation: float, counts: Numbers | None
) -> Elm:
    inputs, targets = checked_samples(features, _table("inputs", inputs), _table("targets", targets))
    finite = np.isfinite(inputs).all(axis=1) & np.isfinite(targets).all(axis=1)
    learnt, dropped = int(finite.sum()), int((~finite).sum())
    if not learnt:
        raise BadInput(f"All {dropped} samples hold a number that is not finite; give at least one whole sample.")
    if regularisation == 0 and features.nodes > learnt:
        samples = f"{learnt} whole samples (of {learnt + dropped})" if dropped else f"{learnt} samples"
        raise BadInput(
            f"{features.nodes} nodes cannot be fitted to {samples} without regularisation;"
            f" give at least {features.nodes} samples, at most {learnt} nodes, or use fit_relm."
        )
    hidden, targets = np.asarray(features(inputs[finite])), targets[finite]
    if counts is not None:
        root = np.sqrt(checked_counts(counts, len(inputs)))[finite, None]
        hidden, targets = root * hidden, root * targets
    weights = _least_squares(hidden, targets, float(np.sqrt(regularisation)))
    return Elm(features, weights, learnt, dropped)


def _least_squares(hidden: np.ndarray, targets: np.ndarray, root: float) -> Float[Array, "hidden output"]:
    """Minimises `|hidden w - targets|² + |root w|²`.

    The triangular factor of both sides together holds all of the problem and spares the orthogonal one; it is built up
    from blocks of rows, which stay near the processor. NumPy and not JAX: every other number of samples would have to
    be compiled anew.
    """
    nodes, outputs = hidden.shape[1], targets.shape[1]
    triangle = root * np.eye(nodes if root > 0 else 0, nodes + outputs)
    for k in range(0, len(hidden), ELM.batch_rows):
        some = slice(k, k + ELM.batch_rows)
        rows = np.concatenate([hidden[some], targets[some]], axis=1)
        triangle = np.asarray(np.linalg.qr(np.concatenate([triangle, rows]), mode="r"))
    triangle = triangle[:nodes]
    U, s, Vt = np.linalg.svd(triangle[:, :nodes])
    known = s > s[0] * len(hidden) * np.finfo(float).eps
    inverse = np.where(known, 1.0 / np.where(known, s, 1.0), 0.0)
    return jnp.asarray(Vt.T @ (inverse[:, None] * (U.T @ triangle[:, nodes:])))


def _table(name: str, values: Numbers) -> np.ndarray:
    values = np.asarray(values, float)
    return require_table(name, values)


def require_table(name: str, values: Numbers) -> Numbers:
    """The values, if they have a row a sample and there is something in them."""
    if values.ndim != 2:
        remedy = f"{name}[:, None] if each sample is one number" if values.ndim == 1 else "an array of two dimensions"
        raise BadInput(f"The {name} have shape {values.shape}, not a row a sample; give {remedy}.")
    if 0 in values.shape:
        raise BadInput(f"The {name} are empty (shape {values.shape}); give at least one sample of at least one number.")
    return values


def checked_counts(counts: Numbers, samples: int) -> np.ndarray:
    """How often each sample counts, if there is one finite number from 0 up for each."""
    counts = np.asarray(counts, float)
    if counts.shape != (samples,):
        raise BadInput(f"The counts have shape {counts.shape} for {samples} samples; give one number a sample.")
    if not (np.isfinite(counts).all() and (counts >= 0).all()):
        raise BadInput("Some count is below 0 or not finite; a sample counts 0 times or more.")
    return counts


def checked_samples(features: RandomFeatures, inputs: Numbers, targets: Numbers) -> tuple[Numbers, Numbers]:
    """The samples, if they match each other and the features. Shapes only, so it works while JAX is tracing."""
    require_table("inputs", inputs)
    require_table("targets", targets)
    if len(inputs) != len(targets):
        raise BadInput(f"There are {len(inputs)} inputs and {len(targets)} targets; give one target to each input.")
    if inputs.shape[1] != features.inputs:
        raise BadInput(
            f"The inputs have {inputs.shape[1]} columns, but the features were drawn for {features.inputs}; give"
            " those, or draw features for these."
        )
    return inputs, targets
