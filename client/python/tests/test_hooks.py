"""The hooks, by classes in the form of ccxt's, and by `requests` and `httpx` where they are installed."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import threading
import time
import types
import unittest
from dataclasses import replace
from typing import Any

from countersign.ccxt_exchange import through_vault
from countersign.client import SignedRequest, VenueRequest
from countersign.dialects import DIALECTS, LibraryRequest, is_answer_to, unsigned_request
from countersign.errors import CountersignError
from countersign.venue_signer import VenueSigner
from tests.fake_vault import FakeVault

OF_RULE = (
    "no signing policy rule allows this request; rule r of signing policy p, version 1 "
    '("a day"): velocity: 7 asked for, 5 amount allowed in 86400 s'
)
LIMIT_REACHED = f"{OF_RULE}, at most 0.5 left, room in 37 s or later"
LIMIT_TOO_SMALL = f"{OF_RULE}: it is more than the whole limit"

ERRORS = types.SimpleNamespace(
    **{
        name: type(name, (Exception,), {})
        for name in [
            "AccountSuspended",
            "AuthenticationError",
            "BadRequest",
            "ExchangeError",
            "ExchangeNotAvailable",
            "PermissionDenied",
            "RateLimitExceeded",
            "RequestTimeout",
        ]
    }
)


class FakeClient:
    """Signs with a header, or refuses."""

    def __init__(
        self,
        refusal: CountersignError | None = None,
        pause_s: float = 0,
        **change: str,
    ) -> None:
        self.asked: list[VenueRequest] = []
        #: How many each batch had.
        self.batches: list[int] = []
        self.at_once = self.most_at_once = 0
        self._refusal, self._pause_s, self._change = refusal, pause_s, change
        self._lock = threading.Lock()

    def sign_venue_request(self, _key: str, request: VenueRequest, _wait: float) -> SignedRequest:
        with self._lock:
            self.asked.append(request)
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        time.sleep(self._pause_s)
        with self._lock:
            self.at_once -= 1
        if self._refusal is not None:
            raise self._refusal
        is_okx = request.path.startswith("/api/v5/")
        headers = {"OK-ACCESS-SIGN": "of the vault"} if is_okx else {}
        signed = SignedRequest(request.method, request.path, request.query, headers, request.body)
        return replace(signed, **self._change)


    def sign_batch(
        self, _key: str, requests: list[VenueRequest], _wait: float
    ) -> list[SignedRequest | CountersignError]:
        self.batches.append(len(requests))
        return [self.sign_venue_request(_key, one, _wait) for one in requests]


class FakeCcxt:
    """As much of ccxt's base class as the hook rests on: configuration, `sign`, `fetch2`, `fetch`."""

    id = "okx"

    def __init__(self, config: dict[str, Any]) -> None:
        self.apiKey = self.secret = self.password = ""
        self.sent: list[tuple[str, str, Any, Any]] = []
        for name, value in config.items():
            setattr(self, name, value)

    def sign(self, path: str) -> dict[str, Any]:
        headers = {"OK-ACCESS-SIGN": f"{self.secret} mac", "X-Other": "kept"}
        return {"url": f"https://www.okx.com{path}", "method": "GET", "headers": headers, "body": None}

    def fetch2(self, path: str) -> Any:
        request = self.sign(path)
        return self.fetch(request["url"], request["method"], request["headers"], request["body"])

    def fetch(self, url: str, method: str = "GET", headers: Any = None, body: Any = None) -> Any:
        self.sent.append((url, method, headers, body))
        return "answer"


class FakeAsyncCcxt(FakeCcxt):
    async def fetch2(self, path: str) -> Any:
        request = self.sign(path)
        return await self.fetch(
            request["url"], request["method"], request["headers"], request["body"]
        )

    async def fetch(self, url: str, method: str = "GET", headers: Any = None, body: Any = None) -> Any:
        self.sent.append((url, method, headers, body))
        return "answer"


def vaulted(base: type[Any], client: FakeClient, **more: Any) -> Any:
    options = {"client": client, "key_id": "k", "venue_url": "http://127.0.0.1:9"}
    return through_vault(base, ERRORS)({"countersign": options, **more})


SENT = (
    "http://127.0.0.1:9/api/v5/account/balance?ccy=BTC",
    "GET",
    {"X-Other": "kept", "OK-ACCESS-SIGN": "of the vault"},
    None,
)
PATH = "/api/v5/account/balance?ccy=BTC"


class CcxtTest(unittest.TestCase):
    def test_a_sync_exchange_sends_what_the_vault_signed(self) -> None:
        client = FakeClient()
        exchange = vaulted(FakeCcxt, client)
        self.assertEqual(exchange.fetch2(PATH), "answer")
        self.assertEqual(exchange.sent, [SENT])
        self.assertEqual(client.asked, [VenueRequest("GET", "/api/v5/account/balance", "ccy=BTC")])

    def test_an_async_exchange_too_and_many_of_one_turn_as_one_request(self) -> None:
        client = FakeClient()
        exchange = vaulted(FakeAsyncCcxt, client)

        async def many() -> None:
            await asyncio.gather(*(exchange.fetch2(PATH) for _ in range(4)))

        asyncio.run(many())
        self.assertEqual(exchange.sent, [SENT] * 4)
        self.assertEqual(client.batches, [4])

    def test_one_goes_at_a_time_where_nonces_rise(self) -> None:
        class Kraken(FakeAsyncCcxt):
            id = "kraken"

            def sign(self, path: str) -> dict[str, Any]:
                headers = {"API-Sign": "x"}
                url = f"https://api.kraken.com{path}"
                return {"url": url, "method": "POST", "headers": headers, "body": "nonce=1&a=b"}

        client = FakeClient(pause_s=0.01)
        exchange = vaulted(Kraken, client)

        async def many() -> None:
            await asyncio.gather(*(exchange.fetch2("/0/private/X") for _ in range(4)))

        asyncio.run(many())
        self.assertEqual((client.most_at_once, client.batches), (1, []))
        self.assertEqual({one.body for one in client.asked}, {"a=b"})

    def test_refusals_are_ccxts_own_and_nothing_is_sent(self) -> None:
        for error, name in [
            (CountersignError("forbidden", "no rule", 403), "PermissionDenied"),
            (CountersignError("forbidden", "the key is frozen", 403), "AccountSuspended"),
            (CountersignError("forbidden", LIMIT_REACHED, 403), "RateLimitExceeded"),
            (CountersignError("forbidden", LIMIT_TOO_SMALL, 403), "PermissionDenied"),
            (CountersignError("unauthorized", "x", 401), "AuthenticationError"),
            (CountersignError("invalid_inputs", "x", 422), "BadRequest"),
            (CountersignError("forbidden", "x", 429), "RateLimitExceeded"),
            (CountersignError("gateway_timeout", "x", 504), "ExchangeNotAvailable"),
            (CountersignError("unreachable", "x"), "ExchangeNotAvailable"),
            (CountersignError("still_processing", "x"), "RequestTimeout"),
        ]:
            with self.subTest(name):
                exchange = vaulted(FakeCcxt, FakeClient(error))
                with self.assertRaises(getattr(ERRORS, name)):
                    exchange.fetch2(PATH)
                self.assertEqual(exchange.sent, [])

    def test_an_answer_to_something_else_is_not_sent(self) -> None:
        for change in [
            {"path": "@elsewhere.example/"},
            {"path": "/api/v5/asset/withdrawal"},
            {"method": "POST"},
            {"query": "ccy=ETH"},
            {"body": "{}"},
            {"headers": {"Host": "elsewhere.example"}},
            {"headers": {"Transfer-Encoding": "chunked"}},
            {"headers": {"X-HTTP-Method-Override": "DELETE"}},
            {"headers": {"OK-ACCESS-SIGN": "x\r\nHost: elsewhere"}},
            {"headers": {"Content-Type": "text/html"}},
        ]:
            with self.subTest(change):
                exchange = vaulted(FakeCcxt, FakeClient(**change))
                with self.assertRaises(ERRORS.ExchangeError):
                    exchange.fetch2(PATH)
                self.assertEqual(exchange.sent, [])

    def test_wrong_use(self) -> None:
        with self.assertRaises(TypeError):
            vaulted(FakeCcxt, FakeClient(), secret="mine")
        with self.assertRaises(ValueError):
            vaulted(type("Other", (FakeCcxt,), {"id": "gemini"}), FakeClient())


class DialectTest(unittest.TestCase):
    def test_what_the_vault_puts_in_cuts_off_or_repeats_nothing(self) -> None:
        asked = VenueRequest("DELETE", "/api/v3/order", "symbol=BTCUSDT&orderId=7")
        for query in [
            "signature=x#&symbol=BTCUSDT&orderId=7",
            "symbol=BTCUSDT&orderId=7&signature=x y",
            "symbol=BTCUSDT&orderId=7&signature=x&signature=y",
            "symbol=BTC#USDT&orderId=7&signature=x",
            "symbol=BTCUSDT&orderId=7recvWindow=5000&timestamp=1&signature=x",
            "symbol=BTCUSDT&orderId=7&recvWindow=٥&timestamp=1&signature=x",
        ]:
            with self.subTest(query):
                signed = SignedRequest(asked.method, asked.path, query, {}, "")
                self.assertFalse(is_answer_to(signed, asked, DIALECTS["binance"]))
        good = SignedRequest(asked.method, asked.path, asked.query + "&timestamp=1&signature=x", {}, "")
        self.assertTrue(is_answer_to(good, asked, DIALECTS["binance"]))

    def test_a_window_of_time_is_put_behind_what_was_asked(self) -> None:
        for query in ["", "symbol=BTCUSDT&orderId=7"]:
            with self.subTest(query):
                asked = VenueRequest("GET", "/api/v3/order", query)
                own = "recvWindow=5000&timestamp=1&signature=x"
                given = f"{query}&{own}" if query else own
                signed = SignedRequest(asked.method, asked.path, given, {}, "")
                self.assertTrue(is_answer_to(signed, asked, DIALECTS["binance"]))

    def test_what_the_library_put_in_is_taken_out(self) -> None:
        url = "https://api.binance.com/api/v3/order?symbol=A&timestamp=1&recvWindow=5&signature=x"
        asked = unsigned_request(LibraryRequest("GET", url, {}), DIALECTS["binance"])
        self.assertEqual(asked, VenueRequest("GET", "/api/v3/order", "symbol=A&recvWindow=5"))

    def test_a_list_has_the_one_spelling_that_the_vault_signs(self) -> None:
        body = 'batchOrders=[{"a":"b%20c"}]&signature=x'
        request = LibraryRequest("POST", "https://fapi.binance.com/fapi/v1/batchOrders", {}, body)
        asked = unsigned_request(request, DIALECTS["binance"])
        assert asked is not None
        self.assertEqual(asked.body, "batchOrders=%5B%7B%22a%22%3A%22b%20c%22%7D%5D")

    def test_a_list_of_python_binance_whose_blanks_are_plus_signs(self) -> None:
        body = "batchOrders=%5B%7B%22symbol%22%3A+%22BTCUSDT%22%7D%5D&recvWindow=10000&timestamp=1&signature=x"
        request = LibraryRequest("POST", "https://fapi.binance.com/fapi/v1/batchOrders", {}, body)
        asked = unsigned_request(request, DIALECTS["binance"])
        assert asked is not None
        orders = "%5B%7B%22symbol%22%3A%20%22BTCUSDT%22%7D%5D"
        self.assertEqual(asked.body, f"batchOrders={orders}&recvWindow=10000")

    def test_krakens_nonce_also_in_json(self) -> None:
        body = json.dumps({"nonce": "1", "pair": "XBTUSD"})
        url = "https://api.kraken.com/0/private/AddOrderBatch"
        request = LibraryRequest("POST", url, {"API-Sign": "x"}, body)
        asked = unsigned_request(request, DIALECTS["kraken"])
        assert asked is not None
        self.assertEqual(asked.body, '{"pair":"XBTUSD"}')

    def test_what_is_not_signed_is_left_alone(self) -> None:
        request = LibraryRequest("GET", "https://api.binance.com/api/v3/time?a=b", {"X-MBX-APIKEY": "k"})
        self.assertIsNone(unsigned_request(request, DIALECTS["binance"]))


def is_missing(name: str) -> bool:
    return importlib.util.find_spec(name) is None


@unittest.skipIf(is_missing("requests"), "requests is not installed")
class RequestsTest(unittest.TestCase):
    """The shapes of python-binance (a form) and pybit (raw JSON)."""

    def send(self, venue_id: str, **given: Any) -> tuple[FakeClient, FakeVault]:
        import requests

        from countersign.requests_adapter import VaultAdapter

        venue = FakeVault([(200, {})])
        self.addCleanup(venue.close)
        client = FakeClient()
        session = requests.Session()
        self.addCleanup(session.close)
        signer = VenueSigner(client, "k", venue_id, venue_url=venue.url)  # type: ignore[arg-type]
        session.mount("https://", VaultAdapter(signer))
        session.request(**given)
        return client, venue

    def test_python_binance(self) -> None:
        client, venue = self.send(
            "binance",
            method="POST",
            url="https://api.binance.com/api/v3/order",
            headers={"X-MBX-APIKEY": "any"},
            data=[("symbol", "BTCUSDT"), ("timestamp", 1), ("signature", "x")],
        )
        self.assertEqual(client.asked, [VenueRequest("POST", "/api/v3/order", "", "symbol=BTCUSDT")])
        _, target, headers, body = venue.seen[0]
        self.assertEqual((target, body), ("/api/v3/order", b"symbol=BTCUSDT"))
        self.assertNotIn("x-mbx-apikey", headers)

    def test_pybit(self) -> None:
        client, venue = self.send(
            "bybit",
            method="POST",
            url="https://api.bybit.com/v5/order/create",
            headers={"X-BAPI-SIGN": "x", "X-BAPI-API-KEY": "any", "Content-Type": "application/json"},
            data='{"category": "spot"}',
        )
        asked = VenueRequest("POST", "/v5/order/create", "", '{"category": "spot"}')
        self.assertEqual(client.asked, [asked])
        self.assertEqual(venue.seen[0][3], b'{"category": "spot"}')
        self.assertNotIn("x-bapi-api-key", venue.seen[0][2])


@unittest.skipIf(is_missing("httpx"), "httpx is not installed")
class HttpxTest(unittest.TestCase):
    """The shape of python-okx."""

    def test_python_okx(self) -> None:
        import httpx

        from countersign.httpx_transport import VaultTransport

        venue = FakeVault([(200, {})])
        self.addCleanup(venue.close)
        client = FakeClient()
        signer = VenueSigner(client, "k", "okx", venue_url=venue.url)  # type: ignore[arg-type]
        with httpx.Client(transport=VaultTransport(signer)) as session:
            headers = {"OK-ACCESS-SIGN": "x", "OK-ACCESS-KEY": "any"}
            url = "https://www.okx.com/api/v5/trade/order"
            session.post(url, content='{"instId":"BTC-USDT"}', headers=headers)
        _, target, headers_seen, body = venue.seen[0]
        self.assertEqual((target, body), ("/api/v5/trade/order", b'{"instId":"BTC-USDT"}'))
        self.assertEqual(headers_seen["ok-access-sign"], "of the vault")
        self.assertNotIn("ok-access-key", headers_seen)


if __name__ == "__main__":
    unittest.main()
