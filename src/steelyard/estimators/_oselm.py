"""An extreme learning machine that learns while samples come in."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from steelyard.errors import BadInput
from steelyard.estimators._elm import Elm, RandomFeatures, checked_samples
from steelyard.estimators._status import forwards
from steelyard.estimators._tuning import ELM
from steelyard.models import Numbers, Seconds


class ElmBelief(eqx.Module):
    """What an online machine has learnt."""

    weights: Float[Array, "hidden output"]
    gram_inverse: Float[Array, "hidden hidden"]
    """P of [sesame, Eq. (38)]: the inverse of the weighted Gram matrix of the hidden layer plus the ridge."""
    ridge: Float[Array, " hidden"]
    """The regularisation of each weight that is left; all of it, unless there is forgetting."""
    turn: Int[Array, ""]
    """The weight whose ridge is renewed next."""
    learnt: Int[Array, ""]
    """Samples taken in."""
    skipped: Int[Array, ""]
    """Samples passed over because a number in them was not finite."""

    @property
    def norm(self) -> Float[Array, ""]:
        """Of the weights."""
        return jnp.sqrt(jnp.sum(self.weights**2))


class OnlineElm(eqx.Module):
    """OSELM: after any sequence of chunks it is `fit_relm` of all of them, [sesame, Eqs. (30)-(38)].

    ```python
    online = OnlineElm(features, regularisation=1e-5)
    belief = online.init(outputs=1)
    belief = online.learn(belief, inputs, targets)      # a row a sample, one or many
    mass = online.predict(belief, inputs)
    ```
    The regularisation stands in for the paper's first chunk of at least as many samples as nodes, [sesame, Eq. (30)],
    so it must be above zero. Rounding grows as it gets smaller: with 500 nodes, 20,000 samples and 1e-7, predictions of
    a smooth function still agreed with `fit_relm` to 1e-8.

    The paper's learner never forgets. Here the weight of a sample falls by a factor e every `memory`, in the unit of
    `learn`'s `dt`: samples, unless seconds are given. Forgetting wears the regularisation down too, and where inputs do
    not excite every node P would grow without end; so at each row the ridge of one weight, in turn, is made whole. The
    belief is exactly the weighted ridge regression with `belief.ridge`, which stays between a thousandth of
    `regularisation` and all of it: a silence that would wear it down further counts only as long as that.

    This is no `Estimator`: it learns a map from inputs to a parameter, so what it takes in is a labelled sample, where
    an estimator takes in what a sensor reads of a state that nobody labelled; it has no state that moves, and no
    prediction in time. Who wants the contract all the same, with innovations, gates and runners, takes
    `RecursiveLeastSquares` on an `ElmModel`: the state is the weights, the control is the inputs, the measurement is
    the target. Without forgetting that gives the same weights, at a larger price.
    """

    features: RandomFeatures
    regularisation: float = eqx.field(static=True, converter=float)
    """As in `fit_relm`, but above zero."""
    memory: float = eqx.field(static=True, converter=float, default=np.inf)
    """In samples, or in the unit of `dt`; nothing is forgotten by default."""

    def __check_init__(self):
        if not 0 < self.regularisation < np.inf:
            raise BadInput(
                f"regularisation is {self.regularisation:g}; learning online starts from it, so give a finite number"
                " above 0, for instance 1e-5."
            )
        if not self.memory > 0:
            raise BadInput(f"memory is {self.memory:g}; give a number above 0, or inf to forget nothing.")

    def init(self, outputs: int) -> ElmBelief:
        """Nothing learnt: all weights zero."""
        if outputs < 1:
            raise BadInput(f"A machine of {outputs} outputs has nothing to learn; give at least 1.")
        n = self.features.nodes
        none = jnp.zeros((), int)
        ridge = jnp.full(n, self.regularisation)
        return ElmBelief(jnp.zeros((n, outputs)), jnp.diag(1.0 / ridge), ridge, none, none, none)

    def learn(
        self,
        belief: ElmBelief,
        inputs: Numbers,
        targets: Numbers,
        dt: Numbers | float = 1.0,
        counts: Numbers | float = 1.0,
    ) -> ElmBelief:
        """Takes in a chunk: inputs and targets with a row a sample, `dt` since the row before (of each row, or of all).

        One row is a scalar update, without any matrix inverse or LAPACK; more are the Woodbury form of
        [sesame, Eq. (38)], or with forgetting one row after the other. Rows with a number that is not finite are
        skipped, but time goes on. `counts` is how often a row counts, as in `fit_relm`; where that is below 0 or not
        finite, the row is skipped.
        """
        inputs, targets = checked_samples(self.features, jnp.asarray(inputs, float), jnp.asarray(targets, float))
        if targets.shape[1] != (outputs := belief.weights.shape[1]):
            raise BadInput(
                f"The targets have {targets.shape[1]} columns, but learning began with {outputs} outputs;"
                " give as many, or begin anew."
            )
        dt, rows = jnp.asarray(dt, float), len(inputs)
        if dt.shape not in ((), (1,), (rows,)):
            raise BadInput(f"dt has shape {dt.shape} for {rows} samples; give one number, or one a sample.")
        dt = jnp.broadcast_to(dt, (rows,))
        counts = jnp.asarray(counts, float)
        if counts.shape not in ((), (1,), (rows,)):
            raise BadInput(
                f"The counts have shape {counts.shape} for {rows} samples; give one number, or one a sample."
            )
        counts = jnp.broadcast_to(counts, (rows,))
        heard = jnp.all(jnp.isfinite(inputs), axis=1) & jnp.all(jnp.isfinite(targets), axis=1)
        heard = heard & jnp.isfinite(counts) & (counts >= 0)
        inputs = jnp.where(heard[:, None], inputs, jnp.broadcast_to(self.features.mean, inputs.shape))
        targets = jnp.where(heard[:, None], targets, 0.0)
        chunk = inputs, targets, heard, jnp.where(heard, counts, 0.0), dt
        if rows == 1:
            return self._learn_row(belief, *(a[0] for a in chunk))
        if self.memory < np.inf:
            # Road not taken: fading in the Woodbury form. P grows by the fading of a whole chunk before the chunk tames
            # it again, and that loses digits: half of them when the chunk is as long as sixteen memories.
            return jax.lax.scan(lambda b, row: (self._learn_row(b, *row), None), belief, chunk)[0]
        whole = rows // ELM.block * ELM.block
        if whole:
            blocks = tuple(a[:whole].reshape(-1, ELM.block, *a.shape[1:]) for a in chunk[:4])
            belief, _ = jax.lax.scan(lambda b, block: (self._learn_block(b, *block), None), belief, blocks)
        if rows > whole:
            belief = self._learn_block(belief, *(a[whole:] for a in chunk[:4]))
        return belief

    def predict(self, belief: ElmBelief, inputs: Float[Numbers, "*batch input"]) -> Float[Array, "*batch output"]:
        """The targets that belong to these inputs, as far as is known."""
        return self.features(inputs) @ belief.weights

    def machine(self, belief: ElmBelief) -> Elm:
        """What was learnt, as a fitted machine."""
        return Elm(self.features, belief.weights, int(belief.learnt), int(belief.skipped))

    def _wear(
        self, ridge: Float[Array, " hidden"], turn: Int[Array, ""], dt: Seconds
    ) -> tuple[Float[Array, " hidden"], Int[Array, ""], Float[Array, ""], Float[Array, ""]]:
        """Ridge and turn after `dt`, the factor by which the past faded, and what was added to the ridge in turn."""
        least = ELM.least_ridge * self.regularisation / jnp.min(ridge)
        fading = jnp.minimum(1.0, jnp.maximum(jnp.exp(-forwards(dt) / self.memory), least))
        ridge = fading * ridge
        added = jnp.where(forwards(dt) > 0, self.regularisation - ridge[turn], 0.0)
        ridge = ridge.at[turn].add(added)
        return ridge, jnp.where(forwards(dt) > 0, (turn + 1) % self.features.nodes, turn), fading, added

    def _learn_row(
        self,
        belief: ElmBelief,
        inputs: Float[Array, " input"],
        targets: Float[Array, " output"],
        heard: Bool[Array, ""],
        count: Float[Array, ""],
        dt: Float[Array, ""],
    ) -> ElmBelief:
        P, W, ridge, turn = belief.gram_inverse, belief.weights, belief.ridge, belief.turn
        if self.memory < np.inf:
            ridge, turn, fading, added = self._wear(ridge, turn, dt)
            P = P / fading
            P, W = _rank_one(P, W, P[belief.turn], P[belief.turn, belief.turn], -W[belief.turn], added)
        hidden = self.features(inputs)
        Ph = P @ hidden
        P, W = _rank_one(P, W, Ph, jnp.sum(hidden * Ph), targets - hidden @ W, count)
        return ElmBelief(W, P, ridge, turn, belief.learnt + heard, belief.skipped + ~heard)

    def _learn_block(
        self,
        belief: ElmBelief,
        inputs: Float[Array, "chunk input"],
        targets: Float[Array, "chunk output"],
        heard: Bool[Array, " chunk"],
        count: Float[Array, " chunk"],
    ) -> ElmBelief:
        P, W = belief.gram_inverse, belief.weights
        root = jnp.broadcast_to(jnp.sqrt(count)[:, None], (len(inputs), self.features.nodes))
        A = root * self.features(inputs)
        targets = targets * root[:, : targets.shape[1]]
        AP = A @ P
        L = jnp.linalg.cholesky(jnp.eye(len(A)) + AP @ A.T)
        both = jax.scipy.linalg.solve_triangular(L, jnp.concatenate([AP, targets - A @ W], axis=1), lower=True)
        G, innovation = both[:, : P.shape[0]], both[:, P.shape[0] :]
        P = P - G.T @ G
        P = 0.5 * (P + P.T)
        counts = belief.learnt + jnp.sum(heard), belief.skipped + jnp.sum(~heard)
        return ElmBelief(W + G.T @ innovation, P, belief.ridge, belief.turn, *counts)


def _rank_one(
    P: Float[Array, "hidden hidden"],
    W: Float[Array, "hidden output"],
    Ph: Float[Array, " hidden"],
    hPh: Float[Array, ""],
    innovation: Float[Array, " output"],
    weight: Float[Array, ""],
) -> tuple[Float[Array, "hidden hidden"], Float[Array, "hidden output"]]:
    """A row h of some weight taken in; symmetric by construction, and no rounding of P can turn its sign."""
    gain = weight / (1.0 + weight * jnp.maximum(hPh, 0.0))
    return P - gain * jnp.outer(Ph, Ph), W + gain * jnp.outer(Ph, innovation)
