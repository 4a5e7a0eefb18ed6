"""freqtrade, whose exchange has its key in a vault: its own command line, behind the vault's facts.

    COUNTERSIGN_URL=https://vault COUNTERSIGN_API_KEY=… COUNTERSIGN_KEY_FILE=caller.pem COUNTERSIGN_KEY_ID=… \\
        python freqtrade_through_vault.py binance trade --config config.json

`exchange` in config.json has neither `key` nor `secret` nor `password`. freqtrade takes its exchange's class by name from
`ccxt` for orders, and from `ccxt.pro` for what it watches; both are replaced before it does.
"""

from __future__ import annotations

import importlib
import os
import pathlib
import sys
from collections.abc import Callable
from typing import Any

from countersign.ccxt_exchange import through_vault
from countersign.client import CountersignClient

MODULES = ("ccxt", "ccxt.async_support", "ccxt.pro")


def vaulted(exchange_class: type[Any], options: Callable[[], dict[str, Any]]) -> type[Any]:
    """The same class, which needs no word about the vault from whoever makes one. `options`: of `countersign`."""
    made = through_vault(exchange_class)

    class Exchange(made):  # type: ignore[misc, valid-type]
        def __init__(self, config: dict[str, Any] | None = None) -> None:
            super().__init__({**(config or {}), "countersign": options()})

    Exchange.__name__ = Exchange.__qualname__ = exchange_class.__name__
    return Exchange


def replace_exchange(name: str, options: Callable[[], dict[str, Any]]) -> None:
    """In each of ccxt's modules that has it."""
    for module in map(importlib.import_module, MODULES):
        if hasattr(module, name):
            setattr(module, name, vaulted(getattr(module, name), options))


def vault_options() -> dict[str, Any]:
    key_id = os.environ["COUNTERSIGN_KEY_ID"]
    return {"client": _client(), "key_id": key_id, "venue_url": os.environ.get("VENUE_URL")}


def _client() -> CountersignClient:
    pem = pathlib.Path(os.environ["COUNTERSIGN_KEY_FILE"]).read_bytes()
    return CountersignClient(os.environ["COUNTERSIGN_URL"], os.environ["COUNTERSIGN_API_KEY"], pem)


if __name__ == "__main__":
    exchange_name, *arguments = sys.argv[1:]
    replace_exchange(exchange_name, vault_options)
    importlib.import_module("freqtrade.main").main(arguments)
