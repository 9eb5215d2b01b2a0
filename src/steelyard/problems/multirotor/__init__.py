"""`identify --as multirotor`: the mass of a multirotor at every moment of its flight."""

from ._reading import FlightRecord as FlightRecord
from ._reading import read_flight_record as read_flight_record
