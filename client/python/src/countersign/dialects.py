"""What an exchange library puts into a request when it signs it, by venue: that is taken out again, and the vault puts
in its own. The library signs with a placeholder, which no venue knows."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from countersign.client import SignedRequest, VenueRequest

_WORD = "countersign"


@dataclass(frozen=True)
class Dialect:
    """`signature`: the header or the parameter that holds it; a request without it needs none. `owned`: parameters of
    query, form or JSON body that the vault sets itself. `own_headers`: of the signature, and signed with it.
    `is_ordered`: the venue takes a request only when its nonce is above all before, so one goes at a time.
    """

    own_headers: str
    signature_header: str | None = None
    signature_parameter: str | None = None
    owned: frozenset[str] = frozenset()
    is_ordered: bool = False
    secret: str = _WORD


#: By the vault's name of the venue.
DIALECTS: dict[str, Dialect] = {
    "binance": Dialect(
        r"x-mbx-apikey",
        signature_parameter="signature",
        owned=frozenset(["timestamp", "signature"]),
    ),
    "bybit": Dialect(r"x-bapi-.*", signature_header="x-bapi-sign"),
    "okx": Dialect(r"ok-access-.*", signature_header="ok-access-sign"),
    "kraken": Dialect(
        r"api-.*",
        signature_header="api-sign",
        owned=frozenset(["nonce"]),
        is_ordered=True,
        secret=base64.b64encode(_WORD.encode()).decode(),
    ),
    "deribit": Dialect(r"authorization", signature_header="authorization"),
    "coinbase_advanced": Dialect(
        r"authorization",
        signature_header="authorization",
        # ccxt makes an EdDSA token of a secret of 64 bytes
        secret=base64.b64encode(bytes([1]) * 64).decode(),
    ),
}

PLACEHOLDER = _WORD


@dataclass(frozen=True)
class LibraryRequest:
    """As a library is about to send it. `url`: complete, raw."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: str = ""


def unsigned_request(request: LibraryRequest, dialect: Dialect) -> VenueRequest | None:
    """None for a request that the library did not sign."""
    origin = origin_of(request.url)
    path, _, query = request.url[len(origin) :].partition("?")
    if not _is_signed(request.headers, [query, request.body], dialect):
        return None
    body = _unowned_body(request.body, dialect)
    return VenueRequest(request.method, path, _unowned_form(query, dialect), body)


def is_answer_to(signed: SignedRequest, asked: VenueRequest, dialect: Dialect) -> bool:
    """Whether the vault gave what was asked of it, and to the same place, with nothing but its own put in. Whoever stands
    where the vault should could otherwise have a bot send what it never asked for, or to a host of their choice."""
    return (
        (signed.method, signed.path) == (asked.method, asked.path)
        and _are_own_headers(signed.headers, dialect)
        and _is_form_for(signed.query, asked.query, dialect)
        and _is_body_for(signed.body, asked.body, dialect)
    )


#: What the vault may put in: nothing that ends a query, a header or a string.
_OWN_VALUE = re.compile(r"[A-Za-z0-9%+/=_.:-]*")
#: In a header, which may hold a passphrase: nothing that ends it.
_OWN_HEADER = re.compile(r"[ -~]*")
_CONTENT_TYPE = re.compile(r"(?i)application/(json|x-www-form-urlencoded)(; ?charset=utf-8)?")


def _are_own_headers(headers: Mapping[str, str], dialect: Dialect) -> bool:
    """A header of another name could lead the request elsewhere, or have it read in another way."""
    own = re.compile(dialect.own_headers)
    return all(
        _CONTENT_TYPE.fullmatch(value) is not None
        if name.lower() == "content-type"
        else own.fullmatch(name.lower()) is not None and _OWN_HEADER.fullmatch(value) is not None
        for name, value in headers.items()
    )


def _is_form_for(form: str, asked: str, dialect: Dialect) -> bool:
    """Byte for byte what was asked for, with each of the vault's own at most once."""
    pairs = [pair.partition("=") for pair in form.split("&")]
    own = [(name, value) for name, _, value in pairs if name in dialect.owned]
    kept = "&".join(name + mark + value for name, mark, value in pairs if name not in dialect.owned)
    return (
        len({name for name, _ in own}) == len(own)
        and all(_OWN_VALUE.fullmatch(value) is not None for _, value in own)
        and _is_same_text(kept, asked, dialect)
    )


def _is_body_for(body: str, asked: str, dialect: Dialect) -> bool:
    if not dialect.owned or not body:
        return _is_same_text(body, asked, dialect)
    if not body.startswith("{"):
        return _is_form_for(body, asked, dialect)
    stated = json.loads(body)
    # a name that stands twice would be gone from what is written again
    if json.dumps(stated, separators=(",", ":")) != body:
        return False
    return (
        all(_OWN_VALUE.fullmatch(str(stated.get(name, ""))) for name in dialect.owned)
        and _unowned_body(body, dialect) == asked
    )


def _is_same_text(given: str, asked: str, dialect: Dialect) -> bool:
    """Binance' window of time may have been put behind it."""
    if given == asked:
        return True
    # glued to the last value it would be another value
    before = f"{asked}&" if asked else ""
    is_more = dialect.signature_parameter is not None and given.startswith(before)
    return is_more and re.fullmatch(r"recvWindow=[0-9]+", given[len(before) :]) is not None


def signed_headers(
    headers: Mapping[str, str], signed: SignedRequest, dialect: Dialect
) -> dict[str, str]:
    """The vault's, with what else the library had."""
    stated = {name.lower() for name in signed.headers}
    own = re.compile(dialect.own_headers)
    kept = {
        name: value
        for name, value in headers.items()
        if name.lower() not in stated
        and own.fullmatch(name.lower()) is None
        and name.lower() != "content-length"
    }
    return {**kept, **signed.headers}


def origin_of(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _is_signed(headers: Mapping[str, str], forms: list[str], dialect: Dialect) -> bool:
    if dialect.signature_header is not None:
        return any(name.lower() == dialect.signature_header for name in headers)
    mark = f"{dialect.signature_parameter}="
    return any(pair.startswith(mark) for form in forms for pair in form.split("&"))


def _unowned_form(form: str, dialect: Dialect) -> str:
    """In its order. Characters that a form does not carry as they are are percent-encoded, and `+`, which is a blank in a
    form, too: the vault signs one spelling of a value."""
    kept = [pair for pair in form.split("&") if pair.partition("=")[0] not in dialect.owned]
    if dialect.signature_parameter is None:
        return "&".join(kept)
    return "&".join(quote(pair.replace("+", " "), safe="=%!*'()~") for pair in kept)


def _unowned_body(body: str, dialect: Dialect) -> str:
    if not dialect.owned or not body:
        return body
    if not body.startswith("{"):
        return _unowned_form(body, dialect)
    stated = json.loads(body)
    kept = {name: value for name, value in stated.items() if name not in dialect.owned}
    return json.dumps(kept, separators=(",", ":"))
