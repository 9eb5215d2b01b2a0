"""A stand-in for the world: a rigid body in the plane under held forces, integrated finely."""

import cmath

import numpy as np


class PlanarWorld:
    """Contacts from the centre of mass (m, body axes); noise is one standard deviation an axis (m/s)."""

    def __init__(self, mass, inertia, contacts, noise=0.0, seed=0, velocity=0j, omega=0.0, angle=0.3):
        self.mass, self.inertia = mass, inertia
        self.contacts = {name: complex(*contact) for name, contact in contacts.items()}
        self.noise, self.draw = noise, np.random.default_rng(seed)
        self.velocity, self.omega, self.angle = velocity, omega, angle
        self.time = 0.0
        self.history = {0: (angle, omega, velocity)}

    def arm(self, name, angle=None):
        """From the centre of mass to a contact, world axes."""
        return self.contacts[name] * cmath.exp(1j * (self.angle if angle is None else angle))

    def __call__(self, forces, dt):
        """Fourth-order composition of leapfrogs; the linear motion is exact under held forces."""
        f = {name: complex(*force) for name, force in forces.items()}
        if dt:
            self.velocity += dt * sum(f.values()) / self.mass
            c = 1.0 / (2.0 - 2.0 ** (1.0 / 3.0))
            for share in (c, 1.0 - 2.0 * c, c):
                h = share * dt
                self.angle += 0.5 * h * self.omega
                torque = sum((self.arm(name).conjugate() * force).imag for name, force in f.items())
                self.omega += h * torque / self.inertia
                self.angle += 0.5 * h * self.omega
            self.time += dt
            self.history[round(self.time * 1000)] = (self.angle, self.omega, self.velocity)
        return {name: self.measure(name) for name in self.contacts}

    def measure(self, name):
        v = self.velocity + 1j * self.omega * self.arm(name)
        return np.array([v.real, v.imag]) + self.noise * self.draw.normal(size=2)

    def at(self, time):
        """Angle, spin and velocity of the centre of mass at a sample."""
        return self.history[round(time * 1000)]


NAMES = ("r1", "r2", "r3", "r4")
CONTACTS = {"r1": (-1.6, 0.9), "r2": (-0.6, -0.6), "r3": (1.1, -0.5), "r4": (2.0, 0.9)}
