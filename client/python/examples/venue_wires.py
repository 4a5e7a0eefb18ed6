"""How a bot's requests reach the venue by way of the vault: by `countersign` and the standard library alone, or by the
hook for `requests` or for `httpx`, where one of these is installed."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any, Protocol

from countersign.dialects import LibraryRequest
from countersign.venue_signer import VenueSigner

TIMEOUT_S = 30


class Wire(Protocol):
    def send(self, method: str, url: str, headers: Mapping[str, str], body: str) -> tuple[int, Any]:
        """The status and the JSON of the answer. Raises CountersignError where the vault refuses, and OSError where no
        answer comes."""


class OwnWire:
    def __init__(self, signer: VenueSigner) -> None:
        self._signer = signer

    def send(self, method: str, url: str, headers: Mapping[str, str], body: str) -> tuple[int, Any]:
        with self._signer.turn:
            signed = self._signer.resign(LibraryRequest(method, url, headers, body))
            request = urllib.request.Request(
                signed.url,
                data=signed.body.encode() or None,
                method=signed.method,
                headers=dict(signed.headers),
            )
            try:
                with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
                    return answer.status, json.load(answer)
            except urllib.error.HTTPError as error:
                return error.code, json.load(error)


class RequestsWire:
    def __init__(self, signer: VenueSigner) -> None:
        import requests  # noqa: PLC0415 -- whoever has it not can take another wire

        from countersign.requests_adapter import VaultAdapter  # noqa: PLC0415

        self._session = requests.Session()
        self._session.mount("https://", VaultAdapter(signer))

    def send(self, method: str, url: str, headers: Mapping[str, str], body: str) -> tuple[int, Any]:
        answer = self._session.request(
            method, url, headers=dict(headers), data=body or None, timeout=TIMEOUT_S
        )
        return answer.status_code, answer.json()


class HttpxWire:
    def __init__(self, signer: VenueSigner) -> None:
        import httpx  # noqa: PLC0415 -- whoever has it not can take another wire

        from countersign.httpx_transport import VaultTransport  # noqa: PLC0415

        self._transport_error = httpx.TransportError
        self._client = httpx.Client(transport=VaultTransport(signer), timeout=TIMEOUT_S)

    def send(self, method: str, url: str, headers: Mapping[str, str], body: str) -> tuple[int, Any]:
        try:
            answer = self._client.request(method, url, headers=dict(headers), content=body or None)
        except self._transport_error as error:
            raise OSError(str(error)) from error
        return answer.status_code, answer.json()


WIRES: dict[str, type[OwnWire] | type[RequestsWire] | type[HttpxWire]] = {
    "own": OwnWire,
    "requests": RequestsWire,
    "httpx": HttpxWire,
}
