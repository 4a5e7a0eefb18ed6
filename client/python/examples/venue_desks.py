"""Seven markets, each in the words of its venue, and its requests in the form in which the venue's public Python library
sends them: parameters, their order and spelling, headers, a placeholder where that has its signature. Deribit has no such
library; there it is the form of its documents."""

from __future__ import annotations

import json
import random
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

from venue_wires import Wire

ANY = "placeholder"


@dataclass(frozen=True)
class OpenOrder:
    id: str
    #: `buy` or `sell`.
    side: str
    price: Decimal


class RefusedError(Exception):
    """The venue's own refusal, by its code."""

    def __init__(self, code: object, text: object) -> None:
        super().__init__(f"{code}: {text}")
        self.code = str(code)


class Desk:
    """`venue_id`: the vault's name of the venue. `assets`: of base and quote. `gone`: what the venue says to the
    cancellation of an order that has been filled meanwhile."""

    venue_id: str
    origin: str
    symbol: str
    assets: tuple[str, str] = ("BTC", "USDT")
    is_spot = True
    gone: frozenset[str]

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    def price(self) -> Decimal:
        raise NotImplementedError

    def open_orders(self) -> list[OpenOrder]:
        raise NotImplementedError

    def free(self) -> dict[str, Decimal]:
        """What can be traded of each asset."""
        raise NotImplementedError

    def place(self, side: str, size: str, price: str) -> None:
        """A limit order, which stays."""
        raise NotImplementedError

    def cancel(self, order_id: str) -> None:
        raise NotImplementedError

    def withdraw(self) -> None:
        """A try, which no rule of a bot should let through."""
        raise NotImplementedError

    def _public(self, path: str, **given: str) -> Any:
        return self._send("GET", f"{path}?{urlencode(given)}", {}, "")

    def _send(self, method: str, target: str, headers: Mapping[str, str], body: str) -> Any:
        status, value = self._wire.send(method, self.origin + target, headers, body)
        return self._read(status, value)

    def _read(self, status: int, value: Any) -> Any:
        raise NotImplementedError


class BinanceSpot(Desk):
    """python-binance: parameters in the order of their names; a query to look, otherwise a form."""

    venue_id = "binance"
    origin = "https://api.binance.com"
    symbol = "BTCUSDT"
    gone = frozenset(["-2011"])
    base_path = "/api/v3"
    order_prefix = "x-HNA2TXFJ"

    def price(self) -> Decimal:
        return Decimal(self._public(f"{self.base_path}/ticker/price", symbol=self.symbol)["price"])

    def open_orders(self) -> list[OpenOrder]:
        listed = self._signed("GET", f"{self.base_path}/openOrders", symbol=self.symbol)
        return [
            OpenOrder(str(one["orderId"]), one["side"].lower(), Decimal(one["price"]))
            for one in listed
        ]

    def free(self) -> dict[str, Decimal]:
        account = self._signed("GET", "/api/v3/account")
        return {one["asset"]: Decimal(one["free"]) for one in account["balances"]}

    def place(self, side: str, size: str, price: str) -> None:
        self._signed(
            "POST",
            f"{self.base_path}/order",
            symbol=self.symbol,
            side=side.upper(),
            type="LIMIT",
            timeInForce="GTC",
            quantity=size,
            price=price,
            newClientOrderId=self.order_prefix + format(random.getrandbits(88), "x"),
        )

    def cancel(self, order_id: str) -> None:
        path = f"{self.base_path}/order"
        self._signed("DELETE", path, symbol=self.symbol, orderId=order_id)

    def withdraw(self) -> None:
        path = "/sapi/v1/capital/withdraw/apply"
        self._signed("POST", path, coin="BTC", address="bc1qar0srrr", amount="0.5", name="BTC")

    def _signed(self, method: str, path: str, **given: str) -> Any:
        stated = {**given, "recvWindow": "10000", "timestamp": str(time.time_ns() // 1_000_000)}
        form = f"{urlencode(sorted(stated.items()))}&signature={ANY}"
        headers = {"Accept": "application/json", "X-MBX-APIKEY": ANY}
        if self._is_query(method):
            return self._send(method, f"{path}?{form}", headers, "")
        headers["Content-Type"] = "application/x-www-form-urlencoded"
        return self._send(method, path, headers, form)

    def _is_query(self, method: str) -> bool:
        return method == "GET"

    def _read(self, status: int, value: Any) -> Any:
        if status != 200:
            raise RefusedError(value["code"], value["msg"])
        return value


class BinanceFutures(BinanceSpot):
    """python-binance: everything is a query."""

    origin = "https://fapi.binance.com"
    base_path = "/fapi/v1"
    order_prefix = "x-Cb7ytekJ"
    is_spot = False

    def free(self) -> dict[str, Decimal]:
        account = self._signed("GET", "/fapi/v2/account")
        return {one["asset"]: Decimal(one["availableBalance"]) for one in account["assets"]}

    def _is_query(self, method: str) -> bool:
        return True


class Bybit(Desk):
    """pybit: a query in the order of its names, or JSON with blanks."""

    venue_id = "bybit"
    origin = "https://api.bybit.com"
    symbol = "BTCUSDT"
    gone = frozenset(["170213"])

    def price(self) -> Decimal:
        told = self._public("/v5/market/tickers", category="spot", symbol=self.symbol)
        return Decimal(told["list"][0]["lastPrice"])

    def open_orders(self) -> list[OpenOrder]:
        query = f"category=spot&openOnly=0&symbol={self.symbol}"
        listed = self._signed("GET", f"/v5/order/realtime?{query}")["list"]
        return [
            OpenOrder(one["orderId"], one["side"].lower(), Decimal(one["price"])) for one in listed
        ]

    def free(self) -> dict[str, Decimal]:
        told = self._signed("GET", "/v5/account/wallet-balance?accountType=UNIFIED")
        return {
            one["coin"]: Decimal(one["walletBalance"]) - Decimal(one["locked"])
            for one in told["list"][0]["coin"]
        }

    def place(self, side: str, size: str, price: str) -> None:
        order = {
            "category": "spot",
            "symbol": self.symbol,
            "side": side.capitalize(),
            "orderType": "Limit",
            "qty": size,
            "price": price,
            "timeInForce": "GTC",
        }
        self._signed("POST", "/v5/order/create", order)

    def cancel(self, order_id: str) -> None:
        order = {"category": "spot", "symbol": self.symbol, "orderId": order_id}
        self._signed("POST", "/v5/order/cancel", order)

    def withdraw(self) -> None:
        asked = {"coin": "BTC", "chain": "BTC", "address": "bc1qar0srrr", "amount": "0.5"}
        now_ms = time.time_ns() // 1_000_000
        self._signed("POST", "/v5/asset/withdraw/create", {**asked, "timestamp": now_ms})

    def _signed(self, method: str, target: str, body: object = None) -> Any:
        headers = {
            "Accept": "application/json",
            "Content-Type": "application/json",
            "X-BAPI-API-KEY": ANY,
            "X-BAPI-SIGN": ANY,
            "X-BAPI-SIGN-TYPE": "2",
            "X-BAPI-TIMESTAMP": str(time.time_ns() // 1_000_000),
            "X-BAPI-RECV-WINDOW": "5000",
        }
        return self._send(method, target, headers, "" if body is None else json.dumps(body))

    def _read(self, status: int, value: Any) -> Any:
        if status != 200 or value["retCode"] != 0:
            raise RefusedError(value.get("retCode", status), value.get("retMsg"))
        return value["result"]


class Okx(Desk):
    """python-okx: every parameter is there, and empty where it is not set."""

    venue_id = "okx"
    origin = "https://www.okx.com"
    symbol = "BTC-USDT"
    gone = frozenset(["51400", "51603"])

    def price(self) -> Decimal:
        return Decimal(self._public("/api/v5/market/ticker", instId=self.symbol)[0]["last"])

    def open_orders(self) -> list[OpenOrder]:
        query = f"instType=SPOT&uly=&instId={self.symbol}&ordType=&state=&after=&before=&limit=&instFamily="
        listed = self._signed("GET", f"/api/v5/trade/orders-pending?{query}")
        return [OpenOrder(one["ordId"], one["side"], Decimal(one["px"])) for one in listed]

    def free(self) -> dict[str, Decimal]:
        [told] = self._signed("GET", "/api/v5/account/balance")
        return {one["ccy"]: Decimal(one["availBal"]) for one in told["details"]}

    def place(self, side: str, size: str, price: str) -> None:
        stated = {"instId": self.symbol, "tdMode": "cash", "side": side, "ordType": "limit"}
        unset = "ccy clOrdId tag posSide reduceOnly tgtCcy stpId stpMode quickMgnType banAmend"
        order = {**stated, "sz": size, "px": price, **dict.fromkeys(unset.split(), "")}
        self._signed("POST", "/api/v5/trade/order", {**order, "attachAlgoOrds": None})

    def cancel(self, order_id: str) -> None:
        order = {"instId": self.symbol, "ordId": order_id, "clOrdId": ""}
        self._signed("POST", "/api/v5/trade/cancel-order", order)

    def withdraw(self) -> None:
        asked = {"ccy": "BTC", "amt": "0.5", "dest": "4", "toAddr": "bc1qar0srrr", "chain": "BTC"}
        unset = {"areaCode": "", "clientId": "", "toAddrType": ""}
        self._signed("POST", "/api/v5/asset/withdrawal", {**asked, **unset})

    def _signed(self, method: str, target: str, body: object = None) -> Any:
        headers = {
            "Content-Type": "application/json",
            "OK-ACCESS-KEY": ANY,
            "OK-ACCESS-SIGN": ANY,
            "OK-ACCESS-TIMESTAMP": ANY,
            "OK-ACCESS-PASSPHRASE": ANY,
            "x-simulated-trading": "0",
        }
        return self._send(method, target, headers, "" if body is None else json.dumps(body))

    def _read(self, status: int, value: Any) -> Any:
        if status != 200 or value["code"] != "0":
            failed = next((one for one in value.get("data", []) if one.get("sCode")), {})
            raise RefusedError(failed.get("sCode", value["code"]), failed.get("sMsg", value["msg"]))
        return value["data"]


class Kraken(Desk):
    """python-kraken-sdk: a form, its nonce at the end."""

    venue_id = "kraken"
    origin = "https://api.kraken.com"
    symbol = "XBTUSD"
    assets = ("XXBT", "ZUSD")
    gone = frozenset(["EOrder:Unknown order"])

    def price(self) -> Decimal:
        [told] = self._public("/0/public/Ticker", pair=self.symbol).values()
        return Decimal(told["c"][0])

    def open_orders(self) -> list[OpenOrder]:
        listed = self._signed("OpenOrders", trades="False")["open"]
        return [
            OpenOrder(name, one["descr"]["type"], Decimal(one["descr"]["price"]))
            for name, one in listed.items()
        ]

    def free(self) -> dict[str, Decimal]:
        told = self._signed("BalanceEx")
        return {
            name: Decimal(one["balance"]) - Decimal(one["hold_trade"]) for name, one in told.items()
        }

    def place(self, side: str, size: str, price: str) -> None:
        order = {"ordertype": "limit", "type": side, "volume": size, "pair": self.symbol}
        self._signed("AddOrder", **order, stptype="cancel-newest", price=price, validate="False")

    def cancel(self, order_id: str) -> None:
        self._signed("CancelOrder", txid=order_id)

    def withdraw(self) -> None:
        self._signed("Withdraw", asset="XBT", key="cold", amount="0.5")

    def _signed(self, name: str, **given: str) -> Any:
        headers = {
            "User-Agent": "python-kraken-sdk",
            "Content-Type": "application/x-www-form-urlencoded; charset=utf-8",
            "API-Key": ANY,
            "API-Sign": ANY,
        }
        form = urlencode({**given, "nonce": str(time.time_ns() // 10)})
        return self._send("POST", f"/0/private/{name}", headers, form)

    def _read(self, status: int, value: Any) -> Any:
        if status != 200 or value["error"]:
            raise RefusedError(value["error"][0], status)
        return value["result"]


class Deribit(Desk):
    venue_id = "deribit"
    origin = "https://www.deribit.com"
    symbol = "BTC_USDC-PERPETUAL"
    assets = ("BTC", "USDC")
    is_spot = False
    gone = frozenset(["11044"])

    def price(self) -> Decimal:
        told = self._public("/api/v2/public/ticker", instrument_name=self.symbol)
        return Decimal(str(told["last_price"]))

    def open_orders(self) -> list[OpenOrder]:
        listed = self._signed("get_open_orders_by_instrument", instrument_name=self.symbol)
        return [
            OpenOrder(one["order_id"], one["direction"], Decimal(str(one["price"])))
            for one in listed
        ]

    def free(self) -> dict[str, Decimal]:
        told = self._signed("get_account_summaries")["summaries"]
        return {one["currency"]: Decimal(str(one["available_funds"])) for one in told}

    def place(self, side: str, size: str, price: str) -> None:
        self._signed(side, instrument_name=self.symbol, amount=size, type="limit", price=price)

    def cancel(self, order_id: str) -> None:
        self._signed("cancel", order_id=order_id)

    def withdraw(self) -> None:
        self._signed("withdraw", currency="BTC", address="bc1qar0srrr", amount="0.5")

    def _signed(self, name: str, **given: str) -> Any:
        now_ms = time.time_ns() // 1_000_000
        stated = f"id={ANY},ts={now_ms},sig={ANY},nonce={uuid.uuid4().hex}"
        query = f"?{urlencode(given)}" if given else ""
        headers = {"Authorization": f"deri-hmac-sha256 {stated}"}
        return self._send("GET", f"/api/v2/private/{name}{query}", headers, "")

    def _read(self, status: int, value: Any) -> Any:
        if status != 200:
            raise RefusedError(value["error"]["code"], value["error"]["message"])
        return value["result"]


class CoinbaseAdvanced(Desk):
    """coinbase-advanced-py: JSON, an empty object where there is nothing to say, also to look."""

    venue_id = "coinbase_advanced"
    origin = "https://api.coinbase.com"
    symbol = "BTC-USD"
    assets = ("BTC", "USD")
    gone = frozenset(["UNKNOWN_CANCEL_ORDER"])

    def price(self) -> Decimal:
        path = f"/api/v3/brokerage/market/products/{self.symbol}/ticker"
        return Decimal(self._public(path, limit="1")["trades"][0]["price"])

    def open_orders(self) -> list[OpenOrder]:
        query = f"product_ids={self.symbol}&order_status=OPEN"
        listed = self._signed("GET", f"/api/v3/brokerage/orders/historical/batch?{query}")["orders"]
        return [self._order(one) for one in listed]

    def _order(self, one: dict[str, Any]) -> OpenOrder:
        terms = one["order_configuration"]["limit_limit_gtc"]
        return OpenOrder(one["order_id"], one["side"].lower(), Decimal(terms["limit_price"]))

    def free(self) -> dict[str, Decimal]:
        listed = self._signed("GET", "/api/v3/brokerage/accounts?limit=50")["accounts"]
        return {one["currency"]: Decimal(one["available_balance"]["value"]) for one in listed}

    def place(self, side: str, size: str, price: str) -> None:
        terms = {"base_size": size, "limit_price": price, "post_only": False}
        order = {
            "client_order_id": str(uuid.uuid4()),
            "product_id": self.symbol,
            "side": side.upper(),
            "order_configuration": {"limit_limit_gtc": terms},
        }
        self._done(self._signed("POST", "/api/v3/brokerage/orders", order))

    def cancel(self, order_id: str) -> None:
        path = "/api/v3/brokerage/orders/batch_cancel"
        [outcome] = self._signed("POST", path, {"order_ids": [order_id]})["results"]
        self._done(outcome)

    def withdraw(self) -> None:
        sent = {"type": "send", "to": "bc1qar0srrr", "amount": "0.5", "currency": "BTC"}
        self._signed("POST", "/v2/accounts/BTC/transactions", sent)

    @staticmethod
    def _done(outcome: dict[str, Any]) -> None:
        if not outcome["success"]:
            told = outcome.get("error_response", {})
            raise RefusedError(told.get("error") or outcome["failure_reason"], "not done")

    def _signed(self, method: str, target: str, body: object = None) -> Any:
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {ANY}"}
        return self._send(method, target, headers, json.dumps(body or {}))

    def _read(self, status: int, value: Any) -> Any:
        if status != 200:
            raise RefusedError(status, value)
        return value


DESKS: dict[str, type[Desk]] = {
    "binance": BinanceSpot,
    "binance_futures": BinanceFutures,
    "bybit": Bybit,
    "okx": Okx,
    "kraken": Kraken,
    "deribit": Deribit,
    "coinbase_advanced": CoinbaseAdvanced,
}
