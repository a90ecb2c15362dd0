"""Arrays that many cells share: workers of this machine map them instead of getting copies.

An array lies in memory that only this process holds open, so nothing of it is left however the
process ends. Linux alone has such memory; elsewhere every cell is sent with its arrays.
"""

from __future__ import annotations

import os
import weakref
from dataclasses import dataclass
from functools import cache
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray

from quadrepro.engine.parts import Arrays

AnyArray = NDArray[Any]

LEAST_BYTES = 2**16
"""Smaller arrays are copied, which takes no longer than mapping them."""


@dataclass(frozen=True)
class Mapped:
    """Where another process finds an array.

    Attributes
    ----------
    path : str
        The file to map.
    dtype : str
        Type of the elements.
    shape : tuple of int
        Shape of what the file holds in C order.
    transposed : bool
        Whether that is the transposed array.
    """

    path: str
    dtype: str
    shape: tuple[int, ...]
    transposed: bool

    def array(self) -> AnyArray:
        """Return the array, which cannot be written to."""
        found = np.asarray(np.memmap(self.path, self.dtype, mode="r", shape=self.shape))
        return found.T if self.transposed else found


Places = tuple[AnyArray | Mapped | None, ...]
"""Arrays, or where they are found."""


def fetch(places: Places) -> Arrays:
    """Return the arrays at some places."""
    found = (place.array() if isinstance(place, Mapped) else place for place in places)
    return cast(Arrays, tuple(found))


class SharedArrays:
    """The arrays that this process shares with its workers, as long as it keeps them itself.

    An array is shared when it is asked for again: what one cell alone has is sent with it.
    """

    def __init__(self) -> None:
        self._seen: dict[int, weakref.ref[AnyArray]] = {}
        self._files: dict[int, _File] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for key in list(self._seen):
            self._forget(key)

    def places(self, arrays: Arrays) -> Places:
        """Return for each array where it is found, or the array itself if it is not shared."""
        return tuple(None if array is None else self._place(array) for array in arrays)

    def _place(self, array: AnyArray) -> AnyArray | Mapped:
        in_order = array.flags.c_contiguous or array.flags.f_contiguous
        if array.nbytes < LEAST_BYTES or not in_order or not _can_share():
            return array
        key = id(array)
        if key not in self._seen:
            self._seen[key] = weakref.ref(array, lambda _: self._forget(key))
            return array
        if key not in self._files:
            try:
                self._files[key] = _File(array)
            except OSError:  # too many open files, or too little memory
                return array
        return self._files[key].place

    def _forget(self, key: int) -> None:
        self._seen.pop(key, None)
        if file := self._files.pop(key, None):
            file.close()


@cache
def _can_share() -> bool:
    """Return whether memory can be made that other processes find."""
    return hasattr(os, "memfd_create") and os.path.isdir(f"/proc/{os.getpid()}/fd")


class _File:
    """Memory with what an array holds, as an open file."""

    def __init__(self, array: AnyArray) -> None:
        transposed = not array.flags.c_contiguous
        content = array.T if transposed else array
        self._file = os.fdopen(os.memfd_create("quadrepro"), "wb")
        self._file.write(content.data)
        self._file.flush()
        path = f"/proc/{os.getpid()}/fd/{self._file.fileno()}"
        self.place = Mapped(path, content.dtype.str, content.shape, transposed)

    def close(self) -> None:
        """Give the memory back as soon as no worker maps it."""
        self._file.close()
