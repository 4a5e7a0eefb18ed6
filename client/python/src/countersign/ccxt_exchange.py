"""ccxt exchanges, sync and async, whose signed requests go through a vault.

    Binance = through_vault(ccxt.binance)
    exchange = Binance({"countersign": {"client": vault, "key_id": key_id}})

ccxt builds and signs each request as always, with a placeholder for the secret that it has not; what it signed is taken
out, the vault signs in its place, and ccxt sends that and reads the answer.
"""

from __future__ import annotations

import asyncio
import inspect
from types import ModuleType
from typing import Any

from countersign.dialects import PLACEHOLDER, LibraryRequest
from countersign.errors import CountersignError
from countersign.venue_signer import VenueSigner

#: The vault's name of the venue, by ccxt's of the exchange.
_VENUES = {
    "binance": "binance",
    "binanceusdm": "binance",
    "binancecoinm": "binance",
    "bybit": "bybit",
    "okx": "okx",
    "kraken": "kraken",
    "deribit": "deribit",
    "coinbase": "coinbase_advanced",
}

_SECRETS = ("secret", "password", "privateKey", "walletAddress")


def through_vault(exchange_class: type[Any], errors: ModuleType | Any | None = None) -> type[Any]:
    """The same class, with `countersign` in its configuration instead of `apiKey` and `secret`: `client`, `key_id`, and
    where wanted `wait_s` and `venue_url`. `errors`: the module `ccxt`, imported when absent. The constructor raises
    TypeError when it is given a secret, and ValueError at an exchange that is not served.
    """
    is_async = inspect.iscoroutinefunction(exchange_class.fetch)
    base = _async_exchange if is_async else _sync_exchange
    return base(exchange_class, _ccxt() if errors is None else errors)


def _ccxt() -> ModuleType:
    import ccxt  # noqa: PLC0415 -- whoever has no ccxt can import this module all the same

    return ccxt


def _sync_exchange(exchange_class: type[Any], errors: Any) -> type[Any]:
    class VaultExchange(exchange_class):  # type: ignore[misc]
        def __init__(self, config: dict[str, Any]) -> None:
            options, rest = _split(config)
            super().__init__(rest)
            self._signer = _take_over(self, options)

        def fetch(self, url: str, method: str = "GET", headers: Any = None, body: Any = None) -> Any:
            request = LibraryRequest(method, url, headers or {}, body or "")
            with self._signer.turn:
                try:
                    signed = self._signer.resign(request)
                except CountersignError as error:
                    raise ccxt_error(self.id, error, errors) from error
                return super().fetch(
                    signed.url, signed.method, dict(signed.headers), signed.body or None
                )

    return _named(VaultExchange, exchange_class)


def _async_exchange(exchange_class: type[Any], errors: Any) -> type[Any]:
    class VaultExchange(exchange_class):  # type: ignore[misc]
        def __init__(self, config: dict[str, Any]) -> None:
            options, rest = _split(config)
            super().__init__(rest)
            self._signer = _take_over(self, options)
            self._turn = asyncio.Lock()

        async def fetch(
            self, url: str, method: str = "GET", headers: Any = None, body: Any = None
        ) -> Any:
            request = LibraryRequest(method, url, headers or {}, body or "")
            if not self._signer.dialect.is_ordered:
                return await self._exchange(request)
            async with self._turn:
                return await self._exchange(request)

        async def _exchange(self, request: LibraryRequest) -> Any:
            try:
                signed = await self._signer.resign_in_turn(request)
            except CountersignError as error:
                raise ccxt_error(self.id, error, errors) from error
            return await super().fetch(
                signed.url, signed.method, dict(signed.headers), signed.body or None
            )

    return _named(VaultExchange, exchange_class)


def _named(made: type[Any], exchange_class: type[Any]) -> type[Any]:
    made.__name__ = exchange_class.__name__
    made.__qualname__ = exchange_class.__qualname__
    return made


def _split(config: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    for name in _SECRETS:
        # freqtrade states every one, empty where its configuration has none
        if config.get(name) not in (None, ""):
            raise TypeError(f"{name}: the vault has it")
    rest = {name: value for name, value in config.items() if name != "countersign"}
    return dict(config["countersign"]), rest


def _take_over(exchange: Any, options: dict[str, Any]) -> VenueSigner:
    if exchange.id not in _VENUES:
        raise ValueError(f"{exchange.id} the vault does not sign this call")
    client, key_id = options.pop("client"), options.pop("key_id")
    signer = VenueSigner(client, key_id, _VENUES[exchange.id], **options)
    exchange.apiKey = exchange.apiKey or PLACEHOLDER
    exchange.secret = signer.dialect.secret
    exchange.password = PLACEHOLDER
    return signer


def ccxt_error(exchange_id: str, error: CountersignError, errors: Any) -> Exception:
    """Nothing was sent to the venue: whatever the class, no order can have been placed."""
    request = f" (request {error.request_id})" if error.request_id else ""
    text = f"{exchange_id} countersign: {error.err_msg}{request}"
    made: Exception = getattr(errors, _class_of(error))(text)
    return made


_CLASSES = {
    "unauthorized": "AuthenticationError",
    "resource_not_found": "AuthenticationError",
    "parse_error": "BadRequest",
    "invalid_inputs": "BadRequest",
    "resource_conflict": "BadRequest",
    "not_found": "BadRequest",
    "still_processing": "RequestTimeout",
    "cancelled": "PermissionDenied",
    "bad_answer": "ExchangeError",
    "untrusted": "ExchangeError",
}


def _class_of(error: CountersignError) -> str:
    if error.status == 429 or error.is_limit_reached:
        return "RateLimitExceeded"
    if error.err_type == "forbidden":
        return "AccountSuspended" if error.is_frozen else "PermissionDenied"
    return _CLASSES.get(error.err_type, "ExchangeNotAvailable")
