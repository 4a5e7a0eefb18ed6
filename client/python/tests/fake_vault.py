"""A service on this machine that answers as it is told, in turn, and remembers what it was asked."""

from __future__ import annotations

import http.server
import json
import threading
from typing import Any

Told = tuple[int, Any]


class FakeVault:
    def __init__(self, answers: list[Told]) -> None:
        self.seen: list[tuple[str, str, dict[str, str], bytes]] = []
        self.connections = 0
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self) -> None:
                outer.connections += 1
                super().setup()

            def answer(self) -> None:
                length = int(self.headers.get("content-length", "0"))
                headers = {name.lower(): value for name, value in self.headers.items()}
                outer.seen.append((self.command, self.path, headers, self.rfile.read(length)))
                status, body = answers.pop(0)
                if status == 0:
                    self.close_connection = True
                    self.connection.close()
                    return
                raw = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("content-length", str(len(raw)))
                self.send_header("x-request-id", "the-request")
                self.end_headers()
                self.wfile.write(raw)

            do_GET = do_POST = answer

            def log_message(self, *_given: object) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        serving = {"poll_interval": 0.01}
        threading.Thread(target=self._server.serve_forever, kwargs=serving, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
