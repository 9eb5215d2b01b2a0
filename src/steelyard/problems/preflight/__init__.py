"""A look at a log before anything is estimated: units, orders, axes, clocks, and channels that are broken."""

from ._channels import outliers as outliers
from ._finding import PreflightFinding as PreflightFinding
from ._preflight import Preflight as Preflight
from ._preflight import preflight as preflight
from ._tuning import OWN as OWN
