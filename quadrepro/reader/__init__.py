"""The reader of printed tables: from a file of any form to numbers of data sets and methods.

Four steps: the text of each form becomes a grid of texts (`forms`, `plain_text`, `markup`), a text
in it a number with the signs around it (`text_grid`), names give rows and columns their roles
(`roles`), and `read` collects the numbers and lists all that was left out. An unclear role is
refused with the option that decides it (`doubts`). ``vocabulary.yaml`` has the meaning of names.
"""

from quadrepro.reader.printed_table import Choices, PrintedTable
from quadrepro.reader.read import read_table

__all__ = ["Choices", "PrintedTable", "read_table"]
