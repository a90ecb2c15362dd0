"""What is measured of every candidate where nothing is chosen."""
