"""What do people see? Tables on a terminal, one-file HTML reports, progress."""

from ._markup import Markup as Markup
from ._markup import fill as fill
from ._page import Script as Script
from ._page import Section as Section
from ._page import write_page as write_page
from ._progress import progress as progress
from ._rows import Row as Row
from ._rows import rows as rows
from ._table import print_identification as print_identification
from ._table import table as table
from ._write import sections as sections
from ._write import write_report as write_report
