"""What was recorded? One `Log`, from and to files."""

from ._log import Log as Log
from ._recording import Limits as Limits
from ._recording import Recording as Recording
from ._recording import Stream as Stream
from ._recording import read_recording as read_recording
from ._vocabulary import SIGNALS as SIGNALS
from ._vocabulary import Column as Column
from ._vocabulary import Signal as Signal
from ._vocabulary import describe as describe
from .formats import Bag as Bag
from .formats import read as read
from .formats import read_csv as read_csv
from .formats import read_mcap as read_mcap
from .formats import read_mcap_folder as read_mcap_folder
from .formats import read_parquet as read_parquet
from .formats import write as write
from .formats import write_csv as write_csv
from .formats import write_mcap as write_mcap
from .formats import write_parquet as write_parquet
