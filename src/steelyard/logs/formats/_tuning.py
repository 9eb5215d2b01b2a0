"""Numbers that tune how files are read and written: sizes of what is read at once, and limits of what is believed."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class FormatsTuning:
    """Sizes are in bytes unless stated; limits are far beyond what real logs have, and stop damaged or forged ones."""

    free_expansion: int = 64 << 20
    """Bytes that any compressed file may expand to, whatever the ratio: every machine has so much memory."""
    file_block: int = 1 << 20
    """Bytes of a file that are read at once, and an eighth of those that are decompressed at once: few calls, little
    memory."""
    text_block: int = 1 << 22
    """Bytes of a text file that are read at once: few calls, little memory."""
    longest_line: int = 1 << 23
    """Characters of a line; a longer one is of no table."""
    packet_window: int = 1 << 25
    """Bytes of a log of packets in which they are searched for at once: few array operations, little memory."""
    record_window: int = 1 << 16
    """Bytes of an MCAP file that are held around a record's head: its neighbours will be asked for."""
    chunk_group: int = 1 << 25
    """Bytes of a bag's chunks that are decoded at once: few enough calls, little enough memory."""
    sqlite_rows: int = 50_000
    """Messages of a `.db3` file that are read at once: few queries, little memory."""
    rows_written: int = 4096
    """Rows that are written to a CSV file at once: few calls, little memory."""

    times_part: int = 3
    """Of the memory that the limits allow, one part in so many holds decoded times; with `fields_part` nearly half is
    left to the decoding."""
    fields_part: int = 5
    """The same for decoded fields."""
    columns_part: int = 3
    """The same for the columns of a text table while it is read; beyond, they are decoded again when asked for."""

    single_packets: int = 1000
    """Single packets before the rest of the buffer is searched for those that have become known: few are taken one by
    one, and searches, which go through all of it, are few."""
    longest_definition: int = 1 << 20
    """Bytes of a schema or channel in an MCAP file; a longer one is damaged."""
    longest_header: int = 1 << 20
    """Bytes of a record's header in a ROS 1 bag; a longer one is damaged."""
    ros_longest_array: int = 128
    """Numbers of one array of a ROS message; longer ones are pictures and point clouds."""
    ros_values: int = 20_000
    """Values of one ROS message through which the walk goes: more are no signals, and would take long."""
    ros_deepest: int = 24
    """Messages nested in each other in a ROS message; more only where a definition contains itself."""
    ros_layouts: int = 512
    """Layouts of one topic's messages: with more, its messages change their lengths too often to be a signal."""
    ulog_longest_array: int = 256
    """Numbers of one array of a ULog message; longer ones are raw data and no signals."""
    ulog_deepest: int = 8
    """Formats nested in each other in a ULog; more only where a format contains itself."""

    table_sample: int = 400
    """Lines of a text file from which its dialect and heading are found: headings are shorter."""
    header_rows: int = 60
    """Rows of names above a table's numbers; with more, the table is of text."""
    dialect_lines: int = 200
    """Lines that are tried in every dialect, the last ones of the sample: numbers, not the heading."""
    dialect_cells: int = 200
    """Cells of a row that are tried: what they are, the others are."""
    falling_times: float = 0.25
    """Of the steps of a column that is a time, the most that may fall: rows of several messages are out of order now
    and then, a measurement falls every other time."""
    arrow_from: int = 1 << 22
    """Bytes of a file from which on pyarrow is loaded: it takes as long as a few megabytes cell by cell."""


TUNING = FormatsTuning()
