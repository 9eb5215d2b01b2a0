"""What is true?"""
from ._multirotor import MultirotorFlight as MultirotorFlight
from ._multirotor import fly as fly
from ._multirotor import simulate as simulate
