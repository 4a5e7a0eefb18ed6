"""A market maker: keeps one order on each side of the market, and moves them when the price has moved.

    python market_maker.py .countersign/lab.json 60 --market okx --wire httpx

It knows a desk and nothing of what stands behind it; that a vault signs shows in `open_desk` and nowhere else. In the end
it prints a report, and `trading` once it has begun. A key that is frozen ends it.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import random
import signal
import threading
import time
from decimal import ROUND_DOWN, Decimal
from typing import Any

from venue_desks import DESKS, Desk, RefusedError
from venue_wires import WIRES

from countersign.client import CountersignClient
from countersign.errors import CountersignError
from countersign.venue_signer import VenueSigner

SIZES = ["0.001", "0.002", "0.003"]
SPREAD = Decimal("0.001")
TICK = Decimal("0.1")
#: How often an order is moved although it stands well.
RESTLESS = 0.1

Report = dict[str, Any]


def open_desk(lab: dict[str, Any], market: str, wire: str) -> tuple[Desk, CountersignClient]:
    desk = DESKS[market]
    venue, bot = lab["venues"][desk.venue_id], lab["bot"]
    pem = pathlib.Path(bot["private_key_file"]).read_bytes()
    vault = CountersignClient(lab["base_url"], bot["api_key"], pem)
    signer = VenueSigner(vault, venue["key_id"], desk.venue_id, venue_url=venue["url"])
    return desk(WIRES[wire](signer)), vault


def quotes(price: Decimal) -> dict[str, Decimal]:
    """A price below the market for buying, and one above for selling, on the venue's steps."""
    return {
        side: (price * (1 + sign * SPREAD)).quantize(TICK, ROUND_DOWN)
        for side, sign in (("buy", -1), ("sell", 1))
    }


def step(desk: Desk, chance: random.Random, report: Report) -> None:
    price = desk.price()
    wanted = quotes(price)
    for order in desk.open_orders():
        is_near = abs(order.price - price) < price * SPREAD * 3
        if is_near and order.side in wanted and chance.random() >= RESTLESS:
            del wanted[order.side]
        else:
            cancel(desk, order.id, report)
    free = desk.free()
    for side, limit in wanted.items():
        size = chance.choice(SIZES)
        base, quote = desk.assets
        asset, needed = (quote, limit * Decimal(size)) if side == "buy" else (base, Decimal(size))
        if not desk.is_spot or free[asset] >= needed:
            place(desk, side, size, limit, report)


def place(desk: Desk, side: str, size: str, limit: Decimal, report: Report) -> None:
    try:
        desk.place(side, size, str(limit))
        report["placed"] += 1
    except (CountersignError, RefusedError, OSError) as error:
        note(error, report)


def cancel(desk: Desk, order_id: str, report: Report) -> None:
    try:
        desk.cancel(order_id)
        report["cancelled"] += 1
    except (CountersignError, RefusedError, OSError) as error:
        # filled meanwhile, as every bot hears from its venue
        if not (isinstance(error, RefusedError) and error.code in desk.gone):
            note(error, report)


def note(error: Exception, report: Report) -> None:
    if isinstance(error, CountersignError) and error.is_frozen:
        raise error
    report["failed"].append(f"{type(error).__name__}: {error}")


def try_withdrawal(desk: Desk) -> str:
    try:
        desk.withdraw()
    except CountersignError as error:
        return error.err_type
    return "went through"


def trade(desk: Desk, seconds: float, chance: random.Random, report: Report) -> None:
    """Until the time is over, or SIGINT. A question that finds no answer is asked again in the next round."""
    stopped = threading.Event()
    signal.signal(signal.SIGINT, lambda *_: stopped.set())
    end = time.monotonic() + seconds
    while time.monotonic() < end and not stopped.is_set():
        try:
            step(desk, chance, report)
        except (CountersignError, RefusedError, OSError) as error:
            if isinstance(error, CountersignError) and not error.is_passing:
                raise
            report["interrupted"].append(f"{type(error).__name__}: {error}")
        report["rounds"] += 1
        if report["rounds"] == 1:
            print("trading", flush=True)
        stopped.wait(report["pause_s"])
    for order in desk.open_orders():
        cancel(desk, order.id, report)


def main() -> None:
    asked = argparse.ArgumentParser(description="A market maker at a venue of the lab")
    asked.add_argument("lab", help="the file lab.json")
    asked.add_argument("seconds", type=float)
    asked.add_argument("--market", choices=DESKS, default="binance")
    asked.add_argument("--wire", choices=WIRES, default="own")
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--pause-s", type=float, default=0.25)
    given = asked.parse_args()
    lab = json.loads(pathlib.Path(given.lab).read_text())
    desk, vault = open_desk(lab, given.market, given.wire)
    report: Report = {"market": given.market, "wire": given.wire, "pause_s": given.pause_s}
    report |= {"rounds": 0, "placed": 0, "cancelled": 0, "failed": [], "interrupted": []}
    report["withdrawal"] = try_withdrawal(desk)
    try:
        trade(desk, given.seconds, random.Random(given.seed), report)
    except CountersignError as error:
        report["stopped"] = str(error)
    vault.close()
    print(json.dumps(report))


if __name__ == "__main__":
    main()
