import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "estimators"))  # the registry of cases is there
