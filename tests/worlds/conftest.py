import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "monitor"))  # flights as samples are there
