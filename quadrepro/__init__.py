"""Reproduces the tables of boosting papers, next to the printed numbers.

The public names are listed in ``__init__.pyi``. Each is imported when it is first used, so that the
command line's ``--help`` does not wait for scikit-learn.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
