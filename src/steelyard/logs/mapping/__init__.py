"""Which field of somebody's recording is which signal of ours: names, conventions, and physics that checks them."""

from ._examine import examine as examine
from ._look import Look as Look
from ._look import look as look
from ._own import assess_own as assess_own
from ._own import is_own as is_own
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
