"""What was recorded? One `Log`, from and to files."""

from ._bag import Bag as Bag
from ._csv import read_csv as read_csv
from ._csv import write_csv as write_csv
from ._kinds import read as read
from ._kinds import write as write
from ._log import Log as Log
from ._mcap import read_mcap as read_mcap
from ._mcap import read_mcap_folder as read_mcap_folder
from ._mcap import write_mcap as write_mcap
from ._parquet import read_parquet as read_parquet
from ._parquet import write_parquet as write_parquet
from ._vocabulary import SIGNALS as SIGNALS
from ._vocabulary import Column as Column
from ._vocabulary import Signal as Signal
from ._vocabulary import describe as describe
