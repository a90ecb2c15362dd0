"""The reader of printed tables: from a file of any form to numbers of data sets and methods.

Four steps, each in a module: text to a grid of texts by form (`forms`, `text`, `markup`), a place
of the grid to a number with the signs around it (`numbers`), names to roles (`roles`), and the
table with everything that was left out (`table`). A role that is not clear is refused with the
option that decides it.
"""

from quadrepro.reader.table import Choices, PrintedTable, read_table

__all__ = ["Choices", "PrintedTable", "read_table"]
