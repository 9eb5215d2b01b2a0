"""Stage 3: C99 text, and folders of it that stand alone."""

from ._emit import Code as Code
from ._emit import emit as emit
from ._export import Exported as Exported
from ._export import export as export
from ._sizes import not_measured as not_measured
