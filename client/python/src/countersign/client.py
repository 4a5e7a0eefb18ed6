"""Calls of a vault by a machine user, and the one that bots need: a venue request, signed."""

from __future__ import annotations

import base64
import json
import math
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar
from urllib.parse import quote

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from countersign.errors import CountersignError
from countersign.service_clock import ServiceClock
from countersign.transcript import authentication_headers
from countersign.transport import Answer, Transport

#: As many signatures as one request may ask for.
MOST_TOGETHER = 64

_Signed = TypeVar("_Signed")

_ATTEMPTS = 4
_PAUSE_S = 0.2
_POLL_S = 0.2
_MAX_POLL_S = 5.0
#: On its way to a caller whose time is over: it has the id of a request that goes on.
_LATE_ANSWER_S = 2.0
#: More than the service takes by itself before it answers 202.
_LONG_WAIT_S = 10


@dataclass(frozen=True)
class VenueRequest:
    """A request as the caller wants it sent, without clock, nonce and signature: the vault sets these.

    `query` without `?`, and `body`, are raw text in the order in which they are sent. `channel`: `rest` or `ws`, where
    `method` is the venue's name of the operation.
    """

    method: str
    path: str = ""
    query: str = ""
    body: str = ""
    channel: str = "rest"


@dataclass(frozen=True)
class SignedRequest:
    """Complete: to be sent as it is."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: str

    @property
    def target(self) -> str:
        return f"{self.path}?{self.query}" if self.query else self.path


class CountersignClient:
    """For any number of threads. `api_key`: a UUID. `private_key`: the caller's own Ed25519 key, or its PEM; not a key
    that the vault holds. `timeout_s`: of one exchange, at most.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        private_key: Ed25519PrivateKey | bytes,
        *,
        timeout_s: float = 60,
        ca_file: str | None = None,
    ) -> None:
        key = load_pem_private_key(private_key, None) if isinstance(private_key, bytes) else private_key
        if not isinstance(key, Ed25519PrivateKey):
            raise TypeError("a machine user signs with an Ed25519 private key")
        self._api_key = str(uuid.UUID(api_key))
        self._private_key = key
        self._transport = Transport(base_url, timeout_s, ca_file)
        self._clock = ServiceClock()

    def sign_venue_request(
        self, key_id: str, request: VenueRequest, wait_s: float = 60
    ) -> SignedRequest:
        """Raises CountersignError. `wait_s`: of everything, approvals included; where the service is silent, up to 2 s
        more."""
        target = f"/v1/keys/{uuid.UUID(key_id)}/sign"
        result = self.change("POST", target, {"venue_request": _stated(request)}, wait_s)
        return _signed_request(result)

    def sign_batch(
        self,
        key_id: str,
        requests: Sequence[VenueRequest],
        wait_s: float = 60,
        *,
        all_or_none: bool = False,
    ) -> list[SignedRequest | CountersignError]:
        """Up to 64 in one request: for each, in order, the signed one or why there is none. Where a rule wants approvals that
        is an error that `asks_alone`. Raises CountersignError where the vault refuses all of it."""
        target = f"/v1/keys/{uuid.UUID(key_id)}/sign-batch"
        body = {"venue_requests": [_stated(one) for one in requests], "all_or_none": all_or_none}
        return _items(self.change("POST", target, body, wait_s), len(requests), _signed_request)

    def raw_sign_batch(
        self,
        vault_id: str,
        address: str,
        messages: Sequence[bytes],
        wait_s: float = 60,
        *,
        all_or_none: bool = False,
    ) -> list[bytes | CountersignError]:
        """The same for messages and a wallet's key: for each the signature."""
        target = f"/v1/vaults/{uuid.UUID(vault_id)}/wallets/{quote(address, safe='')}/raw-sign-batch"
        texts = [base64.b64encode(one).decode() for one in messages]
        body = {"messages": texts, "all_or_none": all_or_none}
        return _items(self.change("POST", target, body, wait_s), len(messages), _signature)

    def change(
        self, method: str, target: str, body: Any = None, wait_s: float = 600
    ) -> dict[str, Any]:
        """The result of a change, however long it takes. What may pass is sent again, under one idempotency key, so
        that it is done once."""
        deadline = time.monotonic() + wait_s
        headers = {"idempotency-key": str(uuid.uuid4())}
        answer = self._attempts(method, target, body, headers, deadline)
        value = _json_of(answer)
        if answer.status != 202:
            return value
        return self._follow(_request_id_of(value), deadline)

    def read(self, target: str) -> dict[str, Any]:
        """A GET, by the credential alone."""
        headers = {"authorization": f"ApiKey {self._api_key}"}
        return _json_of(self._transport.exchange("GET", target, lambda: headers, b""))

    def close(self) -> None:
        self._transport.close()

    def _attempts(
        self, method: str, target: str, body: Any, headers: dict[str, str], deadline: float
    ) -> Answer:
        pause_s = _PAUSE_S
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                answer = self._signed(method, target, body, headers, deadline)
                if answer.status >= 400:
                    raise _error_of(answer)
                return answer
            except CountersignError as error:
                is_last = attempt == _ATTEMPTS or time.monotonic() + pause_s >= deadline
                if is_last or not error.is_passing:
                    raise
            time.sleep(pause_s)
            pause_s *= 2
        raise AssertionError("the last attempt raises or returns")

    def _signed(
        self,
        method: str,
        target: str,
        body: Any,
        more: dict[str, str],
        deadline: float = math.inf,
    ) -> Answer:
        """One attempt, and another one where the service refused the first for its time."""
        answer = self._exchange(method, target, body, more, deadline)
        told = _server_time_ms(answer)
        if told is None or not self._clock.correct(told):
            return answer
        return self._exchange(method, target, body, more, deadline)

    def _exchange(
        self, method: str, target: str, body: Any, more: dict[str, str], deadline: float
    ) -> Answer:
        raw = b"" if body is None else json.dumps(body, separators=(",", ":")).encode()

        def headers() -> dict[str, str]:
            """Each has a nonce and a timestamp of its own."""
            signed = authentication_headers(
                self._private_key, self._api_key, method, target, raw, self._clock.now_ms()
            )
            kind = {} if body is None else {"content-type": "application/json"}
            preferred = {} if method == "GET" else _preference(_left_s(deadline))
            return {**signed, **kind, **more, **preferred}

        within_s = _left_s(deadline) + _LATE_ANSWER_S
        return self._transport.exchange(method, target, headers, raw, within_s)

    def _follow(self, request_id: str, deadline: float) -> dict[str, Any]:
        pause_s = _POLL_S
        while True:
            outcome = self._look(request_id, deadline)
            if outcome is not None:
                return outcome
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                text = f"request {request_id} is still being worked on"
                raise CountersignError("still_processing", text, request_id=request_id)
            time.sleep(min(pause_s, left_s))
            pause_s = min(pause_s * 1.5, _MAX_POLL_S)

    def _look(self, request_id: str, deadline: float) -> dict[str, Any] | None:
        """The result; None while it is being worked on, also where nobody can say."""
        try:
            answer = self._signed("GET", f"/v1/requests/{request_id}", None, {}, deadline)
            record = _json_of(answer)
        except CountersignError as error:
            if error.is_passing:
                return None
            raise
        status = record.get("status")
        if status == "processing":
            return None
        result = record.get("result")
        if status == "completed" and isinstance(result, dict):
            return result
        if status in ("expired", "cancelled"):
            raise CountersignError(status, f"the request was {status}", request_id=request_id)
        error = record.get("error")
        if isinstance(error, dict):
            kind, text = str(error.get("err_type")), str(error.get("err_msg"))
            raise CountersignError(kind, text, request_id=request_id)
        raise CountersignError("bad_answer", f"the request ended as {status}", request_id=request_id)

    def read_signed(self, target: str) -> dict[str, Any]:
        """A GET with all four headers, which shows a request's creator its result."""
        return _json_of(self._signed("GET", target, None, {}))


def _left_s(deadline: float) -> float:
    return max(0.0, deadline - time.monotonic())


def _preference(left_s: float) -> dict[str, str]:
    """A caller in a hurry must hear the request's id in time."""
    # what was left a moment ago
    seconds = left_s + 0.1
    if seconds >= _LONG_WAIT_S:
        return {}
    whole_s = int(seconds)
    return {"prefer": "respond-async" if whole_s == 0 else f"wait={whole_s}"}


def _json_of(answer: Answer) -> dict[str, Any]:
    if answer.status >= 400:
        raise _error_of(answer)
    try:
        value = json.loads(answer.body)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise CountersignError("bad_answer", "the answer is no JSON object", answer.status)
    return value


def _request_id_of(accepted: dict[str, Any]) -> str:
    try:
        return str(uuid.UUID(str(accepted.get("request_id"))))
    except ValueError as error:
        raise CountersignError("bad_answer", "a request id is no UUID", 202) from error


def _error_of(answer: Answer) -> CountersignError:
    request_id = answer.headers.get("x-request-id")
    try:
        value = json.loads(answer.body)
        return CountersignError(value["err_type"], value["err_msg"], answer.status, request_id)
    except (ValueError, KeyError, TypeError):
        return CountersignError("bad_answer", f"HTTP {answer.status}", answer.status, request_id)


def _server_time_ms(answer: Answer) -> int | None:
    """The service's clock, to the second, where it refused a timestamp."""
    if answer.status != 401 or "x-request-timestamp" not in _error_of(answer).err_msg:
        return None
    try:
        return int(parsedate_to_datetime(answer.headers["date"]).timestamp()) * 1_000
    except (KeyError, ValueError, TypeError):
        return None


def _stated(request: VenueRequest) -> dict[str, str]:
    stated = vars(request).items()
    return {name: value for name, value in stated if value != "" or name == "method"}


def _items(
    answer: dict[str, Any], count: int, read: Callable[[dict[str, Any]], _Signed]
) -> list[_Signed | CountersignError]:
    results = answer.get("results")
    given = results if isinstance(results, list) else []
    places = [one.get("index") if isinstance(one, dict) else None for one in given]
    if places != list(range(count)):
        raise CountersignError("bad_answer", "the answer has not a result for each item")
    return [_item(one, read) for one in given]


def _item(
    result: dict[str, Any], read: Callable[[dict[str, Any]], _Signed]
) -> _Signed | CountersignError:
    status, kind, text = (result.get(name) for name in ("status", "err_type", "err_msg"))
    if status == "signed":
        try:
            return read(result)
        except CountersignError as error:
            return error
    if status not in ("denied", "failed") or not isinstance(kind, str) or not isinstance(text, str):
        kind, text = "bad_answer", "a result of a batch says not what became of its item"
    item_id = result.get("item_id")
    return CountersignError(kind, text, request_id=item_id if isinstance(item_id, str) else None)


def _signature(result: dict[str, Any]) -> bytes:
    try:
        return base64.b64decode(result["signature"], validate=True)
    except (KeyError, TypeError, ValueError) as error:
        raise CountersignError("bad_answer", "the answer has no signature") from error


def _signed_request(result: dict[str, Any]) -> SignedRequest:
    try:
        request = result["request"]
        headers = {str(name): str(value) for name, value in request["headers"].items()}
        parts = [str(request[name]) for name in ("method", "path", "query", "body")]
    except (KeyError, TypeError, AttributeError) as error:
        raise CountersignError("bad_answer", "the answer has no signed request") from error
    method, path, query, body = parts
    return SignedRequest(method, path, query, headers, body)
