"""``python -m quadrepro``."""

from quadrepro.cli import main

main()
