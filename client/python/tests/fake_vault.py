"""A service on this machine that answers as it is told, in turn, and remembers what it was asked."""

from __future__ import annotations

import contextlib
import http.server
import json
import socket
import threading
from typing import Any

#: Status, body, and where wanted headers.
Told = tuple[int, Any] | tuple[int, Any, dict[str, str]]


#: In place of a status: no answer comes.
SILENT = -1
#: The connection ends in the middle of the answer, whose length was told.
CUT = -2
#: The same of one in chunks.
CUT_CHUNKS = -3


class FakeVault:
    def __init__(self, answers: list[Told]) -> None:
        self.seen: list[tuple[str, str, dict[str, str], bytes]] = []
        self.connections = 0
        #: How many requests are awaited before each is answered.
        self.together = threading.Barrier(1)
        self._open: list[socket.socket] = []
        self.is_closed = threading.Event()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self) -> None:
                outer.connections += 1
                super().setup()
                outer._open.append(self.connection)

            def answer(self) -> None:
                length = int(self.headers.get("content-length", "0"))
                headers = {name.lower(): value for name, value in self.headers.items()}
                outer.seen.append((self.command, self.path, headers, self.rfile.read(length)))
                outer.together.wait(30)
                status, body, *more = answers.pop(0)
                if status == SILENT:
                    outer.is_closed.wait(30)
                if status in (0, SILENT):
                    self.close_connection = True
                    self.connection.close()
                    return
                raw = json.dumps(body).encode()
                if status in (CUT, CUT_CHUNKS):
                    self.cut(raw, status == CUT_CHUNKS)
                    return
                self.send_response_only(status)
                for name, value in {"date": self.date_time_string(), **dict(*more)}.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(raw)))
                self.send_header("x-request-id", "the-request")
                self.end_headers()
                self.wfile.write(raw)

            def cut(self, raw: bytes, is_in_chunks: bool) -> None:
                size = len(raw)
                name, value = ("transfer-encoding", "chunked") if is_in_chunks else ("content-length", str(size))
                self.send_response_only(200)
                self.send_header(name, value)
                self.end_headers()
                self.wfile.write((f"{size:x}\r\n".encode() if is_in_chunks else b"") + raw[: size // 2])
                self.close_connection = True

            do_GET = do_POST = answer

            def log_message(self, *_given: object) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        serving = {"poll_interval": 0.01}
        threading.Thread(target=self._server.serve_forever, kwargs=serving, daemon=True).start()

    def drop_connections(self) -> None:
        """As a service does that is restarted."""
        for one in self._open:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self.is_closed.set()
        self._server.shutdown()
        self._server.server_close()
