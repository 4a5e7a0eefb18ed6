"""A market maker at Binance spot, on the standard library and `countersign` alone: keeps one order on each side of the
market, and moves them when the price has moved.

    python market_maker.py .countersign/lab.json 60

What it sends is what Binance' documents say, without timestamp and signature: the vault sets these.
"""

from __future__ import annotations

import json
import pathlib
import sys
import time
import urllib.error
import urllib.request
from decimal import ROUND_DOWN, Decimal
from typing import Any
from urllib.parse import urlencode

from countersign.client import CountersignClient, VenueRequest
from countersign.errors import CountersignError

SYMBOL = "BTCUSDT"
SIZE = "0.001"
SPREAD = Decimal("0.001")
TICK = Decimal("0.1")
PAUSE_S = 0.25


class Binance:
    """`url`: scheme, host and port of the venue. `vault` signs with the key `key_id`."""

    def __init__(self, url: str, vault: CountersignClient, key_id: str) -> None:
        self._url, self._vault, self._key_id = url, vault, key_id

    def public(self, path: str, **given: str) -> Any:
        return self._send("GET", f"{path}?{urlencode(given)}", {})

    def signed(self, method: str, path: str, **given: str) -> Any:
        """Raises CountersignError where the vault refuses, and HTTPError where the venue does."""
        asked = VenueRequest(method, path, urlencode(given))
        request = self._vault.sign_venue_request(self._key_id, asked)
        return self._send(request.method, request.target, request.headers)

    def _send(self, method: str, target: str, headers: dict[str, str]) -> Any:
        request = urllib.request.Request(self._url + target, method=method, headers=headers)
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)


def quotes(price: Decimal) -> dict[str, Decimal]:
    """A price below the market for buying, and one above for selling, on the venue's steps."""
    return {
        side: (price * (1 + sign * SPREAD)).quantize(TICK, ROUND_DOWN)
        for side, sign in (("BUY", -1), ("SELL", 1))
    }


def step(binance: Binance, report: dict[str, Any]) -> None:
    price = Decimal(binance.public("/api/v3/ticker/price", symbol=SYMBOL)["price"])
    wanted = quotes(price)
    for order in binance.signed("GET", "/api/v3/openOrders", symbol=SYMBOL):
        side = order["side"]
        is_near = abs(Decimal(order["price"]) - price) < price * SPREAD * 3
        if is_near and side in wanted:
            del wanted[side]
        else:
            cancel(binance, order["orderId"], report)
    for side, limit in wanted.items():
        place(binance, side, limit, report)


def place(binance: Binance, side: str, limit: Decimal, report: dict[str, Any]) -> None:
    terms = {"symbol": SYMBOL, "side": side, "type": "LIMIT", "timeInForce": "GTC"}
    try:
        binance.signed("POST", "/api/v3/order", **terms, quantity=SIZE, price=str(limit))
        report["placed"] += 1
    except (CountersignError, urllib.error.HTTPError) as error:
        report["failed"].append(str(error))


def cancel(binance: Binance, order_id: int, report: dict[str, Any]) -> None:
    try:
        binance.signed("DELETE", "/api/v3/order", symbol=SYMBOL, orderId=str(order_id))
        report["cancelled"] += 1
    except urllib.error.HTTPError as error:
        # -2011: filled meanwhile, as every bot hears from its venue
        if json.load(error)["code"] != -2011:
            report["failed"].append(str(error))


def main(file: str, seconds: float) -> None:
    lab = json.loads(pathlib.Path(file).read_text())
    bot, desk = lab["bot"], lab["venues"]["binance"]
    pem = pathlib.Path(bot["private_key_file"]).read_bytes()
    vault = CountersignClient(lab["base_url"], bot["api_key"], pem)
    binance = Binance(desk["url"], vault, desk["key_id"])
    report: dict[str, Any] = {"rounds": 0, "placed": 0, "cancelled": 0, "failed": []}
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        step(binance, report)
        report["rounds"] += 1
        time.sleep(PAUSE_S)
    for order in binance.signed("GET", "/api/v3/openOrders", symbol=SYMBOL):
        cancel(binance, order["orderId"], report)
    vault.close()
    print(json.dumps(report))


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
