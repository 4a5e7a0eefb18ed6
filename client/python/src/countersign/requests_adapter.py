"""For every library on `requests`: python-binance (`client.session`), pybit (`session.client`), and others.

    client.session.mount("https://", VaultAdapter(VenueSigner(vault, key_id, "binance")))

The library signs as always, with any text for its secret; the adapter has the vault sign in its place before the request
leaves. CountersignError comes out of the library's call.
"""

from __future__ import annotations

from typing import Any

from requests import PreparedRequest, Response
from requests.adapters import HTTPAdapter

from countersign.dialects import LibraryRequest
from countersign.venue_signer import VenueSigner


class VaultAdapter(HTTPAdapter):
    def __init__(self, signer: VenueSigner, **pool: Any) -> None:
        super().__init__(**pool)
        self._signer = signer

    def send(self, request: PreparedRequest, *args: Any, **kwargs: Any) -> Response:
        with self._signer.turn:
            return super().send(self._resigned(request), *args, **kwargs)

    def _resigned(self, request: PreparedRequest) -> PreparedRequest:
        body = request.body or ""
        text = body.decode() if isinstance(body, bytes) else str(body)
        library = LibraryRequest(
            str(request.method), str(request.url), dict(request.headers), text
        )
        signed = self._signer.resign(library)
        again = request.copy()
        again.method = signed.method
        # as it is: what `requests` would normalise is signed
        again.url = signed.url
        again.headers.clear()
        again.headers.update(signed.headers)
        again.body = signed.body.encode() if signed.body else None
        if signed.body or signed.method not in ("GET", "HEAD"):
            again.headers["Content-Length"] = str(len(signed.body.encode()))
        return again
