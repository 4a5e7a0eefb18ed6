"""The start of freqtrade through a vault, by modules in the form of ccxt's and freqtrade's."""

from __future__ import annotations

import asyncio
import os
import pathlib
import runpy
import sys
import tempfile
import types
import unittest
import uuid
from typing import Any
from unittest import mock

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from tests.fake_vault import FakeVault
from tests.test_hooks import ERRORS, PATH, SENT, FakeAsyncCcxt, FakeCcxt

PROGRAM = str(pathlib.Path(__file__).parent.parent / "examples" / "freqtrade_through_vault.py")
SIGNED = {
    "method": "GET",
    "path": "/api/v5/account/balance",
    "query": "ccy=BTC",
    "headers": {"OK-ACCESS-SIGN": "of the vault"},
    "body": "",
}


def init_ccxt(module: Any, **stated: str) -> Any:
    """As freqtrade makes an exchange: its class by its name, and everything there is for a configuration."""
    names = ["apiKey", "secret", "password", "uid", "accountId", "walletAddress", "privateKey"]
    return module.okx({**dict.fromkeys(names, ""), "walletAddress": None, **stated})


class FreqtradeTest(unittest.TestCase):
    def start(self, main: Any) -> FakeVault:
        """Runs the program, with `main` for freqtrade's. The vault signs twice."""
        vault = FakeVault([(200, {"request": SIGNED})] * 2)
        self.addCleanup(vault.close)
        pem = Ed25519PrivateKey.generate().private_bytes(
            Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
        )
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        key_file = pathlib.Path(folder.name) / "caller.pem"
        key_file.write_bytes(pem)
        stated = {
            "COUNTERSIGN_URL": vault.url,
            "COUNTERSIGN_API_KEY": str(uuid.uuid4()),
            "COUNTERSIGN_KEY_FILE": str(key_file),
            "COUNTERSIGN_KEY_ID": str(uuid.uuid4()),
            "VENUE_URL": "http://127.0.0.1:9",
        }
        sync = types.SimpleNamespace(okx=type("okx", (FakeCcxt,), {}), **vars(ERRORS))
        watching = types.SimpleNamespace(okx=type("okx", (FakeAsyncCcxt,), {}))
        modules = {
            "ccxt": sync,
            "ccxt.async_support": types.SimpleNamespace(),
            "ccxt.pro": watching,
            "freqtrade.main": types.SimpleNamespace(main=lambda given: main(given, sync, watching)),
        }
        with (
            mock.patch.dict(sys.modules, modules),
            mock.patch.dict(os.environ, stated),
            mock.patch.object(sys, "argv", [PROGRAM, "okx", "trade", "--config", "config.json"]),
        ):
            runpy.run_path(PROGRAM, run_name="__main__")
        return vault

    def test_both_of_its_exchanges_send_what_the_vault_signed(self) -> None:
        exchanges: list[Any] = []

        def main(given: list[str], sync: Any, watching: Any) -> None:
            self.assertEqual(given, ["trade", "--config", "config.json"])
            exchanges.extend([init_ccxt(sync), init_ccxt(watching)])
            self.assertEqual(exchanges[0].fetch2(PATH), "answer")
            self.assertEqual(asyncio.run(exchanges[1].fetch2(PATH)), "answer")

        vault = self.start(main)
        self.assertEqual([exchange.sent for exchange in exchanges], [[SENT], [SENT]])
        self.assertEqual(len(vault.seen), 2)

    def test_a_secret_in_its_configuration_is_refused(self) -> None:
        def main(_given: list[str], sync: Any, _watching: Any) -> None:
            with self.assertRaises(TypeError):
                init_ccxt(sync, secret="mine")

        self.start(main)


if __name__ == "__main__":
    unittest.main()
