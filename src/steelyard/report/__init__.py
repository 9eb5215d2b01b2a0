"""What do people see? Tables on a terminal, one-file HTML reports, progress."""

from ._figures import figures_table as figures_table
from ._markup import Markup as Markup
from ._markup import fill as fill
from ._page import Script as Script
from ._page import Section as Section
from ._page import write_page as write_page
from ._plane import outline_trace as outline_trace
from ._plane import plane_layout as plane_layout
from ._plane import points as points
from ._plane import spokes as spokes
from ._plots import PLOTTING as PLOTTING
from ._plots import Trace as Trace
from ._plots import band as band
from ._plots import drawing as drawing
from ._plots import layout as layout
from ._plots import line as line
from ._plots import truth_line as truth_line
from ._progress import progress as progress
from ._rows import Row as Row
from ._rows import rows as rows
from ._table import print_identification as print_identification
from ._table import table as table
from ._urdf import urdf_of as urdf_of
from ._urdf import write_urdf as write_urdf
from ._write import sections as sections
from ._write import write_report as write_report
