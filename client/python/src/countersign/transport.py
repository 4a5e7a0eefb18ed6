"""Bytes to the service and back, over connections that are kept open. No redirect is followed, and nothing in a target
is changed: what was signed is what is sent. What breaks on a kept connection is sent once more over a new one: the
service may have closed the old one meanwhile, which only its use tells."""

from __future__ import annotations

import http.client
import math
import ssl
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from countersign.errors import CountersignError

_MAX_ANSWER_BYTES = 64 * 2**20
#: For what is sent again when its time is over: a time of 0 would be none.
_LEAST_S = 0.1


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes


class Transport:
    """For any number of threads: each request has a connection to itself, and leaves it to the next one.

    `base_url`: scheme, host and port; plain http only on this machine. Raises ValueError otherwise.
    `ca_file`: certificates that the service's is checked against instead of the system's.
    """

    def __init__(self, base_url: str, timeout_s: float = 60, ca_file: str | None = None) -> None:
        parts = urlsplit(base_url)
        is_plain = parts.path in ("", "/") and not parts.query and not parts.fragment
        if parts.hostname is None or parts.username is not None or not is_plain:
            raise ValueError("the URL of the service is scheme, host and port, nothing more")
        is_local = parts.hostname in ("localhost", "127.0.0.1", "::1")
        if parts.scheme != "https" and not (parts.scheme == "http" and is_local):
            raise ValueError("the URL of the service must be https, unless it is on this machine")
        self._host, self._port = parts.hostname, parts.port
        self._timeout_s = timeout_s
        is_secure = parts.scheme == "https"
        self._tls = ssl.create_default_context(cafile=ca_file) if is_secure else None
        self._idle: list[http.client.HTTPConnection] = []
        self._lock = threading.Lock()

    def exchange(
        self,
        method: str,
        target: str,
        headers: Callable[[], dict[str, str]],
        body: bytes,
        within_s: float = math.inf,
    ) -> Answer:
        """Raises CountersignError `unreachable` when no whole answer comes. `headers`: made anew where it is sent again, as
        the service takes a nonce once. `within_s`: how long the service may be silent, at most the transport's own time."""
        given_s = min(within_s, self._timeout_s)
        until = time.monotonic() + given_s
        kept = self._take()
        if kept is not None:
            try:
                return self._over(kept, given_s, method, target, headers(), body)
            except CountersignError as error:
                if error.err_type != "unreachable":
                    raise
                # what closed this one, a restart say, closed the others, too
                self.close()
                if isinstance(error.__cause__, TimeoutError):
                    raise
        left_s = max(_LEAST_S, until - time.monotonic())
        return self._over(self._connect(), left_s, method, target, headers(), body)

    def close(self) -> None:
        """Those that are kept open."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _over(
        self,
        connection: http.client.HTTPConnection,
        timeout_s: float,
        method: str,
        target: str,
        headers: dict[str, str],
        body: bytes,
    ) -> Answer:
        connection.timeout = timeout_s
        if connection.sock is not None:
            connection.sock.settimeout(timeout_s)
        try:
            answer = self._send(connection, method, target, headers, body)
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            text = f"no answer from the vault ({type(error).__name__})"
            raise CountersignError("unreachable", text) from error
        self._give_back(connection)
        return answer

    @staticmethod
    def _send(
        connection: http.client.HTTPConnection,
        method: str,
        target: str,
        headers: dict[str, str],
        body: bytes,
    ) -> Answer:
        connection.request(method, target, body=body or None, headers=headers)
        response = connection.getresponse()
        text = response.read(_MAX_ANSWER_BYTES + 1)
        if len(text) > _MAX_ANSWER_BYTES:
            connection.close()
            raise CountersignError("bad_answer", "the answer is too long", response.status)
        # a read of so many bytes says by itself only of chunks that they were cut
        if response.length:
            raise http.client.IncompleteRead(text, response.length)
        named = {name.lower(): value for name, value in response.getheaders()}
        return Answer(response.status, named, text)

    def _take(self) -> http.client.HTTPConnection | None:
        with self._lock:
            return self._idle.pop() if self._idle else None

    def _connect(self) -> http.client.HTTPConnection:
        if self._tls is not None:
            return http.client.HTTPSConnection(
                self._host, self._port, timeout=self._timeout_s, context=self._tls
            )
        return http.client.HTTPConnection(self._host, self._port, timeout=self._timeout_s)

    def _give_back(self, connection: http.client.HTTPConnection) -> None:
        if connection.sock is None:
            return
        with self._lock:
            self._idle.append(connection)
