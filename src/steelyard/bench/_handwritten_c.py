"""The peer of generated code: the same ten-state mass filter, written in C by hand.

Jacobians are derived on paper, as in `_filterpy`. Scalars are taken in one at a time; missing channels and the inflated
variance of outliers are as in ours. It is called as generated code is, and compiled twice: with the same flags and with
those that suit loops; the faster one counts. A test holds it to our filter's numbers. It keeps no innovations, and does
not check that numbers are finite.
"""

import dataclasses

import jax.numpy as jnp
import numpy as np

from steelyard.native import FLAGS, HERE, Code, Loaded, emit, load

STATE, SAMPLE = 111, 15
"""Attitude, position, velocity, log mass, covariance; dt, thrust, rates, and the three readings."""

SOURCE = r"""
static void turn_by(const double *q, const double *phi, double *out)
{
    const double square = phi[0] * phi[0] + phi[1] * phi[1] + phi[2] * phi[2];
    const double angle = sqrt(square), half = 0.5 * angle;
    const double s = angle > 1e-8 ? sin(half) / angle : 0.5, c = angle > 1e-8 ? cos(half) : 1.0;
    const double x = s * phi[0], y = s * phi[1], z = s * phi[2];
    out[0] = q[0] * c - q[1] * x - q[2] * y - q[3] * z;
    out[1] = q[0] * x + q[1] * c + q[2] * z - q[3] * y;
    out[2] = q[0] * y - q[1] * z + q[2] * c + q[3] * x;
    out[3] = q[0] * z + q[1] * y - q[2] * x + q[3] * c;
}

static void matrix(const double *q, double R[3][3])
{
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    R[0][0] = 1 - 2 * (y * y + z * z); R[0][1] = 2 * (x * y - w * z); R[0][2] = 2 * (x * z + w * y);
    R[1][0] = 2 * (x * y + w * z); R[1][1] = 1 - 2 * (x * x + z * z); R[1][2] = 2 * (y * z - w * x);
    R[2][0] = 2 * (x * z - w * y); R[2][1] = 2 * (y * z + w * x); R[2][2] = 1 - 2 * (x * x + y * y);
}

static void right_jacobian(const double *phi, double J[3][3])
{
    const double a = phi[0], b = phi[1], c = phi[2], square = a * a + b * b + c * c, angle = sqrt(square);
    const double f = square > 1e-12 ? (1 - cos(angle)) / square : 0.5;
    const double g = square > 1e-12 ? (angle - sin(angle)) / (square * angle) : 1.0 / 6.0;
    J[0][0] = 1 - g * (b * b + c * c); J[0][1] = f * c + g * a * b; J[0][2] = -f * b + g * a * c;
    J[1][0] = -f * c + g * a * b; J[1][1] = 1 - g * (a * a + c * c); J[1][2] = f * a + g * b * c;
    J[2][0] = f * b + g * a * c; J[2][1] = -f * a + g * b * c; J[2][2] = 1 - g * (a * a + b * b);
}

void handwritten(const double *belief, const double *sample, double *out)
{
    static const double control[4] = {CONTROL}, drift = DRIFT, noise[9] = {MEASUREMENT}, gate = 8.0;
    const double dt = sample[0], thrust = sample[1], *rates = sample + 2, zero[4] = {1.0, 0.0, 0.0, 0.0};
    double q[4], p[3], v[3], log_mass = belief[10], P[10][10], FP[10][10], F[10][10] = {{0}}, G[10][4] = {{0}};
    double half[3], whole[3], middle[4], turn[4], R[3][3], T[3][3], J[3][3], tilt[3][2], by_rate[3][3], by_angle[3][3];
    double residual[9], delta[10] = {0}, push[3], by_mass;
    int i, j, k;

    memcpy(P, belief + 11, sizeof P);
    by_mass = exp(-log_mass);
    for (i = 0; i < 3; ++i) {
        half[i] = 0.5 * dt * rates[i];
        whole[i] = dt * rates[i];
    }
    turn_by(belief, half, middle);
    turn_by(zero, half, turn);
    matrix(middle, R);
    matrix(turn, T);
    for (i = 0; i < 3; ++i) {
        push[i] = R[i][2] * thrust * by_mass;
        tilt[i][0] = -R[i][1] * thrust * by_mass;
        tilt[i][1] = R[i][0] * thrust * by_mass;
    }
    right_jacobian(half, J);
    for (i = 0; i < 3; ++i)
        for (j = 0; j < 3; ++j) {
            by_angle[i][j] = tilt[i][0] * T[j][0] + tilt[i][1] * T[j][1];
            by_rate[i][j] = 0.5 * dt * (tilt[i][0] * J[0][j] + tilt[i][1] * J[1][j]);
        }
    for (i = 0; i < 3; ++i) {
        for (j = 0; j < 3; ++j) {
            F[i][j] = T[0][i] * T[j][0] + T[1][i] * T[j][1] + T[2][i] * T[j][2];
            F[3 + i][j] = 0.5 * dt * dt * by_angle[i][j];
            F[6 + i][j] = dt * by_angle[i][j];
            G[3 + i][1 + j] = 0.5 * dt * dt * by_rate[i][j];
            G[6 + i][1 + j] = dt * by_rate[i][j];
        }
        F[3 + i][3 + i] = F[6 + i][6 + i] = 1.0;
        F[3 + i][6 + i] = dt;
        F[3 + i][9] = -0.5 * dt * dt * push[i];
        F[6 + i][9] = -dt * push[i];
        G[3 + i][0] = 0.5 * dt * dt * by_mass * R[i][2];
        G[6 + i][0] = dt * by_mass * R[i][2];
    }
    F[9][9] = 1.0;
    right_jacobian(whole, J);
    for (i = 0; i < 3; ++i)
        for (j = 0; j < 3; ++j) G[i][1 + j] = dt * J[i][j];
    for (i = 0; i < 3; ++i) {
        const double a = push[i] + (i == 2 ? -9.81 : 0.0);
        p[i] = belief[4 + i] + belief[7 + i] * dt + 0.5 * a * dt * dt;
        v[i] = belief[7 + i] + a * dt;
    }
    turn_by(middle, half, q);

    for (i = 0; i < 10; ++i)
        for (j = 0; j < 10; ++j) {
            double sum = 0.0;
            for (k = 0; k < 10; ++k) sum += F[i][k] * P[k][j];
            FP[i][j] = sum;
        }
    for (i = 0; i < 10; ++i)
        for (j = 0; j <= i; ++j) {
            double sum = 0.0;
            for (k = 0; k < 10; ++k) sum += FP[i][k] * F[j][k];
            for (k = 0; k < 4; ++k) sum += G[i][k] * control[k] * G[j][k];
            P[i][j] = P[j][i] = sum;
        }
    P[9][9] += drift * dt;

    {
        const double *m = sample + 5;
        const double w = q[0] * m[0] + q[1] * m[1] + q[2] * m[2] + q[3] * m[3];
        const double x = q[0] * m[1] - q[1] * m[0] - q[2] * m[3] + q[3] * m[2];
        const double y = q[0] * m[2] + q[1] * m[3] - q[2] * m[0] - q[3] * m[1];
        const double z = q[0] * m[3] - q[1] * m[2] + q[2] * m[1] - q[3] * m[0];
        const double length = sqrt(x * x + y * y + z * z), sign = w < 0 ? -1.0 : 1.0;
        const double scale = length > 1e-8 ? 2.0 * atan2(sign * length, sign * w) / length : 2.0 * sign;
        residual[0] = scale * x; residual[1] = scale * y; residual[2] = scale * z;
        for (i = 0; i < 3; ++i) {
            residual[3 + i] = sample[9 + i] - p[i];
            residual[6 + i] = sample[12 + i] - v[i];
        }
    }
    for (k = 0; k < 9; ++k) {
        double column[10], s = P[k][k] + noise[k], innovation = residual[k] - delta[k], excess, weight;
        if (innovation != innovation) continue;
        excess = innovation * innovation / (gate * gate * s);
        if (excess > 1.0) s *= excess;
        weight = 1.0 / s;
        for (i = 0; i < 10; ++i) column[i] = P[i][k];
        for (i = 0; i < 10; ++i) {
            const double gain = weight * column[i];
            delta[i] += gain * innovation;
            for (j = 0; j < 10; ++j) P[i][j] -= gain * column[j];
        }
    }
    turn_by(q, delta, out);
    for (i = 0; i < 3; ++i) {
        out[4 + i] = p[i] + delta[3 + i];
        out[7 + i] = v[i] + delta[6 + i];
    }
    out[10] = log_mass + delta[9];
    memcpy(out + 11, P, sizeof P);
}
"""


PLAIN = ("-std=c99", "-O3", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-march=native")
"""Flags that suit code with loops."""


def load_handwritten(
    measurement: np.ndarray, control: np.ndarray, drift: float, flags: tuple[str, ...] = (*FLAGS, *HERE)
) -> Loaded:
    """The filter with these variances, called as generated code is."""
    shape = emit(lambda belief, sample: belief + jnp.sum(sample), (np.zeros(STATE), np.zeros(SAMPLE)), "handwritten")
    body = SOURCE
    for name, values in (("CONTROL", control), ("MEASUREMENT", measurement), ("DRIFT", [drift])):
        body = body.replace(name, ", ".join(repr(float(value)) for value in np.asarray(values)))
    code: Code = dataclasses.replace(shape, body=f"#include <string.h>\n{body}")
    return load(code, flags)
