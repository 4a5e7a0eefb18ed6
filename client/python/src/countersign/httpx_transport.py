"""For every library on `httpx`: python-okx, whose API classes are clients themselves.

    trade = Trade.TradeAPI("any", "any", "any", flag="0")
    trade._transport = VaultTransport(VenueSigner(vault, key_id, "okx"), trade._transport)

The library signs as always, with any text for its secret; the transport has the vault sign in its place before the
request leaves. CountersignError comes out of the library's call.
"""

from __future__ import annotations

import httpx

from countersign.dialects import LibraryRequest
from countersign.venue_signer import VenueSigner


class VaultTransport(httpx.BaseTransport):
    def __init__(self, signer: VenueSigner, inner: httpx.BaseTransport | None = None) -> None:
        self._signer = signer
        self._inner = inner or httpx.HTTPTransport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        with self._signer.turn:
            return self._inner.handle_request(self._resigned(request))

    def close(self) -> None:
        self._inner.close()

    def _resigned(self, request: httpx.Request) -> httpx.Request:
        host = request.headers.get("host")
        headers = {name: value for name, value in request.headers.items() if name != "host"}
        library = LibraryRequest(
            request.method, str(request.url), headers, request.read().decode()
        )
        signed = self._signer.resign(library)
        again = httpx.Request(
            signed.method,
            signed.url,
            headers=dict(signed.headers),
            content=signed.body.encode() or None,
            extensions=request.extensions,
        )
        if host is not None and again.url.host == request.url.host:
            again.headers["host"] = host
        return again
