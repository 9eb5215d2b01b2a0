"""Which field of somebody's recording is which signal of ours: names, conventions, and physics that checks them."""

from steelyard.logs.mapping._tuning import MappingTuning as MappingTuning

from ._compare import Track as Track
from ._conversions import CONVERSIONS as CONVERSIONS
from ._examine import examine as examine
from ._integrals import angles_of as angles_of
from ._integrals import delay_bound as delay_bound
from ._look import Look as Look
from ._look import look as look
from ._open import Prepared as Prepared
from ._open import log_of as log_of
from ._open import look_at as look_at
from ._open import open_log as open_log
from ._open import prepare as prepare
from ._own import assess_own as assess_own
from ._requirements import REQUIREMENTS as REQUIREMENTS
from ._requirements import Assessment as Assessment
from ._rows import rows_for as rows_for
from ._rows import table_of as table_of
from ._source import Finding as Finding
from ._source import SignalMapping as SignalMapping
from ._source import SignalSource as SignalSource
from ._source import TimeSource as TimeSource
from ._toml import read_mapping as read_mapping
from ._toml import to_toml as to_toml
