"""`identify --as multirotor`: the mass of a multirotor at every moment of its flight."""

from ._reading import Flight as Flight
from ._reading import read_flight as read_flight
