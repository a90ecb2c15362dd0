"""Connections that end in time, and that lead to no private host unless the first one does."""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import threading
from collections.abc import Iterator
from typing import Any

from quadrepro.data.sources.limits import SECONDS, limit
from quadrepro.errors import DataError

# urllib3 has one function for new connections, which all threads share.
_ONE_AT_A_TIME = threading.RLock()


@contextlib.contextmanager
def bounded(origin: str) -> Iterator[None]:
    """Bound the time of all requests in a block, whatever library makes them with urllib3.

    A server can redirect to an address inside the user's own network, which it cannot reach itself.
    So if the first connection leads to a public address, the others must as well.

    Parameters
    ----------
    origin : str
        The requested source in words, for messages.

    Raises
    ------
    DataError
        If the time of `quadrepro.data.sources.limits` is over, or a redirect leads to a loopback,
        private or link-local address.
    """
    from urllib3.util import connection

    with _ONE_AT_A_TIME:
        guard = _Guard(origin, connection.create_connection)
        clock = threading.Timer(guard.seconds, guard.end)
        clock.daemon = True
        connection.create_connection = guard.connect
        clock.start()
        try:
            yield
        except Exception as error:
            if guard.late:
                raise guard.lateness() from error
            raise
        finally:
            connection.create_connection = guard.plain
            clock.cancel()
            guard.close()


class _Guard:
    """Admits connections, and ends those that are open when the time is over."""

    def __init__(self, origin: str, plain: Any) -> None:
        self.origin, self.plain = origin, plain
        self.seconds = limit(SECONDS)
        self.late = False
        self._public: bool | None = None
        self._thread = threading.get_ident()
        self._sockets: list[socket.socket] = []

    def connect(self, *args: Any, **options: Any) -> socket.socket:
        """Connect as urllib3 does."""
        made: socket.socket = self.plain(*args, **options)
        if threading.get_ident() == self._thread:
            try:
                self._admit(made)
            except BaseException:
                made.close()
                raise
        return made

    def _admit(self, made: socket.socket) -> None:
        host = str(made.getpeername()[0])
        if self._public is None:
            self._public = is_public(host)
        elif self._public and not is_public(host):
            raise DataError(
                f"{self.origin}: a redirect leads to {host}, which is no public address"
            )
        # urllib3 wraps the socket for TLS; a copy reaches the connection at every stage.
        self._sockets.append(made.dup())
        if self.late:
            raise self.lateness()

    def end(self) -> None:
        """End all connections."""
        self.late = True
        for one in [*self._sockets]:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Let go of all connections."""
        for one in self._sockets:
            one.close()

    def lateness(self) -> DataError:
        """Return the error to raise when the time is over."""
        return DataError(
            f"{self.origin}: not complete after {self.seconds} seconds; {SECONDS} can allow more"
        )


def is_public(host: str) -> bool:
    """Return whether an IP address is one of the internet, not loopback, private or link-local.

    Examples
    --------
    >>> [is_public(host) for host in ("1.1.1.1", "127.0.0.1", "192.168.0.1", "::ffff:10.0.0.1")]
    [True, False, False, False]
    """
    address = ipaddress.ip_address(host)
    inner = getattr(address, "ipv4_mapped", None) or address
    return bool(inner.is_global)
