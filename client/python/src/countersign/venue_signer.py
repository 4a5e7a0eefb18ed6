"""A key of the vault at one venue: what the hooks of the libraries share."""

from __future__ import annotations

import contextlib
import threading
from dataclasses import replace

from countersign.client import CountersignClient, SignedRequest
from countersign.dialects import (
    DIALECTS,
    Dialect,
    LibraryRequest,
    is_answer_to,
    origin_of,
    signed_headers,
    unsigned_request,
)
from countersign.errors import CountersignError


class VenueSigner:
    """`venue_id`: the vault's name of the venue. `wait_s`: of one signature, approvals included. `venue_url`: scheme,
    host and port in place of the venue's, e.g. of a simulator. Raises ValueError at a venue that is not served.
    """

    def __init__(
        self,
        client: CountersignClient,
        key_id: str,
        venue_id: str,
        *,
        wait_s: float = 60,
        venue_url: str | None = None,
    ) -> None:
        if venue_id not in DIALECTS:
            raise ValueError(f"{venue_id} the vault does not sign this call")
        self.dialect: Dialect = DIALECTS[venue_id]
        self._client = client
        self._key_id = key_id
        self._wait_s = wait_s
        self._venue_url = venue_url
        self._turn = threading.Lock()

    def resign(self, request: LibraryRequest) -> LibraryRequest:
        """The request to be sent. One that the library did not sign is sent as it is, at most elsewhere. Raises
        CountersignError, and then nothing may be sent."""
        unsigned = unsigned_request(request, self.dialect)
        origin = self._venue_url or origin_of(request.url)
        if unsigned is None:
            return replace(request, url=origin + request.url[len(origin_of(request.url)) :])
        signed: SignedRequest = self._client.sign_venue_request(
            self._key_id, unsigned, self._wait_s
        )
        if not is_answer_to(signed, unsigned, self.dialect):
            raise CountersignError("untrusted", "the vault gave another request")
        headers = signed_headers(request.headers, signed, self.dialect)
        return LibraryRequest(signed.method, origin + signed.target, headers, signed.body)

    @property
    def turn(self) -> contextlib.AbstractContextManager[object]:
        """Held from the signature to the answer, where nonces rise."""
        return self._turn if self.dialect.is_ordered else contextlib.nullcontext()
