"""Log files: one module a format, and a registry by file name."""

from ._bag import Bag as Bag
from ._csv import read_csv as read_csv
from ._csv import write_csv as write_csv
from ._mcap import read_mcap as read_mcap
from ._mcap import read_mcap_folder as read_mcap_folder
from ._mcap import write_mcap as write_mcap
from ._parquet import read_parquet as read_parquet
from ._parquet import write_parquet as write_parquet
from ._registry import read as read
from ._registry import write as write
