"""Cards of data sets, their sources, and rows as they were checked."""
