"""First-order low-pass filters, and the gradient of "output rate = gradient x input" through them [cdc14, Eq. (26)]."""

import math

import msgspec


def low_pass_step(low_passed: complex, mean_input: complex, k_f: float, dt: float) -> complex:
    """The filter dt seconds later, by the trapezoidal rule; `mean_input` is the input's mean over those seconds.

    For a sampled signal that is the mean of its two ends, for a held command the command.
    """
    h = 0.5 * k_f * dt
    return ((1.0 - h) * low_passed + 2.0 * h * mean_input) / (1.0 + h)


class RateFilter(msgspec.Struct, frozen=True):
    """Output and input of ẏ = θ u, both low-passed: k_f (y − y^f) = θ u^f needs no derivative.

    [cdc14, Eq. (26)] waits until the filters have forgotten how they started. Started with y^f = y and u^f = 0 they
    have nothing to forget: the relation holds from the first sample on.
    """

    output: complex
    output_low: complex
    input_low: complex

    @staticmethod
    def start(output: complex) -> "RateFilter":
        """At rest, whatever came before."""
        return RateFilter(output, output, 0j)

    def step(self, output: complex, mean_input: complex, k_f: float, dt: float) -> "RateFilter":
        """The next sample of the output, and the input's mean since the last one."""
        return RateFilter(
            output,
            low_pass_step(self.output_low, 0.5 * (self.output + output), k_f, dt),
            low_pass_step(self.input_low, mean_input, k_f, dt),
        )

    def rate(self, k_f: float) -> complex:
        """The low-passed rate of the output."""
        return k_f * (self.output - self.output_low)


class LineFit(msgspec.Struct, frozen=True):
    """Running sums of the least squares of ψ = θ υ."""

    squares: float = 0.0
    products: float = 0.0
    outputs: float = 0.0
    inputs: float = 0.0
    count: float = 0.0

    def add(self, inputs: float, output: float, memory: float = 1.0) -> "LineFit":
        """One more pair; with a memory below 1 older ones fade, and at 0 the gradient is the last quotient."""
        return LineFit(
            memory * self.squares + inputs * inputs,
            memory * self.products + inputs * output,
            memory * self.outputs + output * output,
            memory * self.inputs + inputs,
            memory * self.count + 1.0,
        )

    @property
    def gradient(self) -> float:
        """θ; NaN before there is any input."""
        return self.products / self.squares if self.squares > 0.0 else math.nan

    @property
    def output_std(self) -> float:
        """σ_ψ, from what the fit leaves over."""
        if self.count < 3.0 or not self.squares > 0.0:
            return math.inf
        left = self.outputs - self.products * self.products / self.squares
        return math.sqrt(max(left, 0.0) / (self.count - 1.0))

    @property
    def gradient_std(self) -> float:
        """σ_θ = σ_ψ / √Συ², the deviation of a gradient without an intercept, which this one is.

        [icra15, Eq. (32)] prints that of a gradient beside an intercept; see `gradient_std_printed`. Both take the
        errors of samples for independent, which low-passed ones are not: a test of convergence, no promise of coverage.
        """
        return self.output_std / math.sqrt(self.squares) if self.squares > 0.0 else math.inf

    @property
    def gradient_std_printed(self) -> float:
        """σ_ψ √(τ / (τ Συ² − (Συ)²)), as [icra15, Eq. (32)] has it; without end for a constant input."""
        below = self.count * self.squares - self.inputs**2
        return self.output_std * math.sqrt(self.count / below) if below > 1e-12 * self.inputs**2 else math.inf
