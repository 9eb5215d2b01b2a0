"""What changed, and can we believe it?"""
from ._changes import Change as Change
from ._changes import ChangeWatch as ChangeWatch
from ._changes import WatchfulBelief as WatchfulBelief
