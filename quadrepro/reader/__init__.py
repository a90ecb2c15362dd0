"""The reader of printed tables: from a file of any form to numbers of data sets and methods.

Four steps: the text of each form becomes a grid of texts (`forms`, `text`, `markup`), a text in it
a number with the signs around it (`grid`), names give rows and columns their roles (`roles`,
`columns`), and `table` collects the numbers and lists everything that was left out. An unclear role
is refused with the option that decides it. What names mean is in ``vocabulary.yaml``.
"""

from quadrepro.reader.table import Choices, PrintedTable, read_table

__all__ = ["Choices", "PrintedTable", "read_table"]
