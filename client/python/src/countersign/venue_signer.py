"""A key of the vault at one venue: what the hooks of the libraries share."""

from __future__ import annotations

import contextlib
import threading
from dataclasses import replace

from countersign.client import CountersignClient, SignedRequest, VenueRequest
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
from countersign.together import KeySignatures


class VenueSigner:
    """What is asked for at the same time leaves as one request to the vault. `venue_id`: the vault's name of the venue. `wait_s`: of one signature, approvals included. `venue_url`: scheme,
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
        self._signatures = KeySignatures(client, key_id, wait_s)
        self._venue_url = venue_url
        self._turn = threading.Lock()

    def resign(self, request: LibraryRequest) -> LibraryRequest:
        """The request to be sent. One that the library did not sign is sent as it is, at most elsewhere. Raises
        CountersignError, and then nothing may be sent."""
        unsigned = unsigned_request(request, self.dialect)
        if unsigned is None:
            return self._unchanged(request)
        return self._signed(request, unsigned, self._signatures.sign(unsigned))

    async def resign_in_turn(self, request: LibraryRequest) -> LibraryRequest:
        """The same for a task of an event loop."""
        unsigned = unsigned_request(request, self.dialect)
        if unsigned is None:
            return self._unchanged(request)
        return self._signed(request, unsigned, await self._signatures.sign_in_turn(unsigned))

    def _unchanged(self, request: LibraryRequest) -> LibraryRequest:
        origin = origin_of(request.url)
        return replace(request, url=(self._venue_url or origin) + request.url[len(origin) :])

    def _signed(
        self, request: LibraryRequest, unsigned: VenueRequest, signed: SignedRequest
    ) -> LibraryRequest:
        if not is_answer_to(signed, unsigned, self.dialect):
            raise CountersignError("untrusted", "the vault gave another request")
        headers = signed_headers(request.headers, signed, self.dialect)
        origin = self._venue_url or origin_of(request.url)
        return LibraryRequest(signed.method, origin + signed.target, headers, signed.body)

    @property
    def turn(self) -> contextlib.AbstractContextManager[object]:
        """Held from the signature to the answer, where nonces rise."""
        return self._turn if self.dialect.is_ordered else contextlib.nullcontext()
