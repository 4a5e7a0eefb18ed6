import json
import threading
import time
import unittest
import uuid
from concurrent.futures import ThreadPoolExecutor
from email.utils import formatdate
from typing import Any
from unittest import mock

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key

from countersign.client import CountersignClient, SignedRequest, VenueRequest
from countersign.errors import CountersignError
from tests.fake_vault import CUT, CUT_CHUNKS, SILENT, FakeVault, Told

KEY_ID = str(uuid.uuid4())
REQUEST_ID = str(uuid.uuid4())
SIGNED = {
    "request": {"method": "GET", "path": "/p", "query": "q=1", "headers": {"a": "b"}, "body": ""},
    "operation_class": "read",
}
OK: Told = (200, SIGNED)


def late(ahead_s: int) -> Told:
    """The refusal of a timestamp by a service whose clock is so much ahead."""
    text = "x-request-timestamp is more than 5 minutes from the time of this server"
    body = {"err_type": "unauthorized", "err_msg": text}
    return (401, body, {"date": formatdate(time.time() + ahead_s, usegmt=True)})


class ClientTest(unittest.TestCase):
    def call(self, answers: list[Told], wait_s: float = 60) -> SignedRequest:
        self.vault = FakeVault(answers)
        self.addCleanup(self.vault.close)
        self.client = CountersignClient(
            self.vault.url, str(uuid.uuid4()), Ed25519PrivateKey.generate()
        )
        self.addCleanup(self.client.close)
        return self.client.sign_venue_request(KEY_ID, VenueRequest("GET", "/p", "q=1"), wait_s)

    def refused(self, *answers: Told, wait_s: float = 60) -> CountersignError:
        with self.assertRaises(CountersignError) as raised:
            self.call(list(answers), wait_s)
        return raised.exception

    def test_asks_for_a_signature_and_gives_the_whole_request(self) -> None:
        signed = self.call([OK])
        self.assertEqual(signed.target, "/p?q=1")
        method, target, headers, body = self.vault.seen[0]
        self.assertEqual((method, target), ("POST", f"/v1/keys/{KEY_ID}/sign"))
        asked = {"method": "GET", "path": "/p", "query": "q=1", "channel": "rest"}
        self.assertEqual(json.loads(body), {"venue_request": asked})
        self.assertIn("x-request-assertion", headers)

    def batch(self, results: Any) -> list[SignedRequest | CountersignError]:
        self.call([OK, (200, {"request_id": REQUEST_ID, "results": results})])
        requests = [VenueRequest("GET", f"/{at}") for at in range(3)]
        return self.client.sign_batch(KEY_ID, requests, all_or_none=True)

    def test_several_in_one_request_each_has_its_own_end(self) -> None:
        signed = [{"item_id": f"id {at}", "index": at, "status": "signed", **SIGNED} for at in range(3)]
        denied = {"err_type": "forbidden", "err_msg": "approvals: ask for this item alone"}
        results = self.batch([signed[0], {**signed[1], "status": "denied", **denied}, signed[2]])
        self.assertIsInstance(results[0], SignedRequest)
        error = results[1]
        assert isinstance(error, CountersignError)
        self.assertEqual((error.err_type, error.request_id), ("forbidden", "id 1"))
        self.assertTrue(error.asks_alone)
        self.assertIsInstance(results[2], SignedRequest)
        _, target, _, body = self.vault.seen[1]
        self.assertEqual(target, f"/v1/keys/{KEY_ID}/sign-batch")
        asked = [{"method": "GET", "path": f"/{at}", "channel": "rest"} for at in range(3)]
        self.assertEqual(json.loads(body), {"venue_requests": asked, "all_or_none": True})

    def test_results_of_a_batch_that_are_none_are_no_signatures(self) -> None:
        signed = [{"item_id": f"id {at}", "index": at, "status": "signed", **SIGNED} for at in range(3)]
        for results in [None, signed[:2], signed[::-1], [*signed, signed[0]], [1, 2, 3]]:
            with self.subTest(results), self.assertRaises(CountersignError) as raised:
                self.batch(results)
            self.assertEqual(raised.exception.err_type, "bad_answer")
        for wrong in [{"status": "done"}, {"status": "denied"}, {"request": None}]:
            with self.subTest(wrong):
                error = self.batch([{**one, **wrong} for one in signed])[0]
                assert isinstance(error, CountersignError)
                self.assertEqual(error.err_type, "bad_answer")

    def test_several_messages_of_a_wallet(self) -> None:
        results = [
            {"item_id": "a", "index": 0, "status": "signed", "signature": "AAEC"},
            {"item_id": "b", "index": 1, "status": "failed", "err_type": "e", "err_msg": "m"},
        ]
        self.call([OK, (200, {"request_id": REQUEST_ID, "results": results})])
        first, second = self.client.raw_sign_batch(REQUEST_ID, "a/b", [b"one", b"two"])
        self.assertEqual(first, bytes([0, 1, 2]))
        self.assertIsInstance(second, CountersignError)
        _, target, _, body = self.vault.seen[1]
        self.assertEqual(target, f"/v1/vaults/{REQUEST_ID}/wallets/a%2Fb/raw-sign-batch")
        self.assertEqual(json.loads(body), {"messages": ["b25l", "dHdv"], "all_or_none": False})

    def test_connections_are_kept(self) -> None:
        self.call([OK, OK, OK])
        for _ in range(2):
            self.client.sign_venue_request(KEY_ID, VenueRequest("GET", "/p"))
        self.assertEqual(self.vault.connections, 1)

    def keep_five(self, *further: Told) -> None:
        """Five connections, all of them idle in the end."""
        self.call([OK] * 6 + list(further))
        self.vault.together = threading.Barrier(5)
        ask = self.client.sign_venue_request
        with ThreadPoolExecutor(5) as threads:
            list(threads.map(lambda at: ask(KEY_ID, VenueRequest("GET", f"/{at}")), range(5)))
        self.vault.together = threading.Barrier(1)
        self.assertEqual(self.vault.connections, 5)

    def test_connections_that_the_service_closed_are_no_attempts(self) -> None:
        busy = (504, {"err_type": "gateway_timeout", "err_msg": "later"})
        self.keep_five(busy, busy, busy, OK)
        self.vault.drop_connections()
        self.client.sign_venue_request(KEY_ID, VenueRequest("GET", "/p"))
        self.assertEqual(self.vault.connections, 6)
        keys = {headers["idempotency-key"] for _, _, headers, _ in self.vault.seen[6:]}
        self.assertEqual((len(self.vault.seen), len(keys)), (10, 1))

    def test_nor_are_they_of_a_read(self) -> None:
        self.keep_five((200, {}), (200, {}))
        for read in (self.client.read, self.client.read_signed):
            self.vault.drop_connections()
            self.assertEqual(read("/v1/keys"), {})
        self.assertEqual(self.vault.connections, 7)

    def test_what_broke_on_a_connection_that_was_kept_has_another_nonce_the_second_time(self) -> None:
        self.call([OK, (0, None), OK])
        self.client.sign_venue_request(KEY_ID, VenueRequest("GET", "/p"))
        first, second = [headers for _, _, headers, _ in self.vault.seen[1:]]
        self.assertEqual(first["idempotency-key"], second["idempotency-key"])
        self.assertNotEqual(first["x-request-nonce"], second["x-request-nonce"])

    def test_silence_on_a_connection_that_was_kept_is_final_and_no_other_is_used(self) -> None:
        self.keep_five((SILENT, None), OK)
        with mock.patch("countersign.client._LATE_ANSWER_S", 0.1), self.assertRaises(CountersignError):
            self.client.sign_venue_request(KEY_ID, VenueRequest("GET", "/p"), 0.1)
        self.assertEqual(len(self.vault.seen), 7)
        self.client.sign_venue_request(KEY_ID, VenueRequest("GET", "/p"))
        self.assertEqual(self.vault.connections, 6)

    def test_what_may_pass_is_sent_again_under_one_idempotency_key_and_another_nonce(self) -> None:
        busy = (504, {"err_type": "gateway_timeout", "err_msg": "later"})
        self.call([busy, (0, None), OK])
        headers = [headers for _, _, headers, _ in self.vault.seen]
        self.assertEqual(len({one["idempotency-key"] for one in headers}), 1)
        self.assertEqual(len({one["x-request-nonce"] for one in headers}), 3)

    def test_an_answer_that_is_cut_is_asked_for_again(self) -> None:
        for cut in (CUT, CUT_CHUNKS):
            with self.subTest(cut):
                self.call([(cut, SIGNED), OK])
                self.assertEqual(len(self.vault.seen), 2)
                with mock.patch("countersign.client._PAUSE_S", 0.01):
                    error = self.refused(*[(cut, SIGNED)] * 4)
                self.assertEqual((error.err_type, len(self.vault.seen)), ("unreachable", 4))

    def test_an_answer_that_is_too_long_is_not_asked_for_again(self) -> None:
        with mock.patch("countersign.transport._MAX_ANSWER_BYTES", 20):
            error = self.refused(OK)
        self.assertEqual((error.err_msg, len(self.vault.seen)), ("the answer is too long", 1))

    def test_a_clock_that_is_off_is_corrected_once_and_for_all_further_requests(self) -> None:
        half_an_hour_s = 1_800
        self.call([late(half_an_hour_s), OK, OK])
        self.client.sign_venue_request(KEY_ID, VenueRequest("GET", "/p"))
        self.assertEqual([round(off / 60) for off in self.seconds_off()], [0, 30, 30])
        keys = [headers["idempotency-key"] for _, _, headers, _ in self.vault.seen]
        self.assertEqual((keys[0] == keys[1], keys[1] == keys[2]), (True, False))

    def test_a_second_refusal_is_final(self) -> None:
        error = self.refused(late(1_800), late(1_800))
        self.assertEqual((error.status, len(self.vault.seen)), (401, 2))

    def test_nobody_shifts_the_clock_by_more_than_an_hour(self) -> None:
        error = self.refused(late(3_700))
        self.assertEqual((error.status, len(self.vault.seen)), (401, 1))
        self.call([late(1_800), OK, late(3_500), OK, late(5_300), OK])
        self.client.sign_venue_request(KEY_ID, VenueRequest("GET", "/p"))
        with self.assertRaises(CountersignError):
            self.client.sign_venue_request(KEY_ID, VenueRequest("GET", "/p"))
        self.assertLessEqual(max(self.seconds_off()), 3_600)

    def seconds_off(self) -> list[float]:
        stamps = [headers["x-request-timestamp"] for _, _, headers, _ in self.vault.seen]
        now_ms = time.time() * 1_000
        return [(int.from_bytes(bytes.fromhex(one), "little") - now_ms) / 1_000 for one in stamps]

    def test_silence_ends_with_the_callers_time(self) -> None:
        began = time.monotonic()
        error = self.refused((SILENT, None), wait_s=0.1)
        self.assertEqual((error.err_type, len(self.vault.seen)), ("unreachable", 1))
        # the transport's own time is a minute
        self.assertLess(time.monotonic() - began, 20)

    def test_202_is_waited_for(self) -> None:
        working = (200, {"status": "processing"})
        done = (200, {"status": "completed", "result": SIGNED})
        signed = self.call([(202, {"request_id": REQUEST_ID}), working, done])
        self.assertEqual(signed.path, "/p")
        self.assertEqual(self.vault.seen[-1][1], f"/v1/requests/{REQUEST_ID}")

    def test_and_not_for_ever(self) -> None:
        working = (200, {"status": "processing"})
        error = self.refused((202, {"request_id": REQUEST_ID}), working, wait_s=0)
        self.assertEqual((error.err_type, error.request_id), ("still_processing", REQUEST_ID))

    def test_whoever_waits_shortly_asks_for_the_id_in_time(self) -> None:
        for wait_s, preferred in [(60, None), (9.5, "wait=9"), (1, "wait=1"), (0, "respond-async")]:
            with self.subTest(wait_s):
                self.call([OK], wait_s)
                self.assertEqual(self.preferred(), [preferred])

    def test_and_each_further_attempt_prefers_what_is_left_and_a_look_nothing(self) -> None:
        busy = (504, {"err_type": "gateway_timeout", "err_msg": "later"})
        done = (200, {"status": "completed", "result": SIGNED})
        self.call([busy, busy, busy, (202, {"request_id": REQUEST_ID}), done], 2.4)
        first, *_, last, look = self.preferred()
        self.assertEqual((first, last, look), ("wait=2", "wait=1", None))

    def preferred(self) -> list[str | None]:
        return [headers.get("prefer") for _, _, headers, _ in self.vault.seen]

    def test_what_ends_otherwise_says_how(self) -> None:
        for record, kind in [
            ({"status": "expired"}, "expired"),
            ({"status": "failed", "error": {"err_type": "forbidden", "err_msg": "no"}}, "forbidden"),
            ({"status": "completed", "result": None}, "bad_answer"),
        ]:
            with self.subTest(kind):
                error = self.refused((202, {"request_id": REQUEST_ID}), (200, record))
                self.assertEqual(error.err_type, kind)

    def test_a_refusal_is_final_and_printable(self) -> None:
        error = self.refused((403, {"err_type": "forbidden", "err_msg": "no\nrule \x1b[31m"}))
        self.assertEqual((error.err_msg, error.status), ("no?rule ?[31m", 403))
        self.assertEqual(len(self.vault.seen), 1)

    def test_a_freeze_is_told_by_the_vaults_own_word_alone(self) -> None:
        for text, is_frozen in [
            ("the key is frozen", True),
            ("the venue is frozen", True),
            ('rule "the key is frozen" denies', False),
        ]:
            error = self.refused((403, {"err_type": "forbidden", "err_msg": text}))
            self.assertEqual(error.is_frozen, is_frozen)

    def test_an_answer_that_is_none(self) -> None:
        for body in ([], {"request": {}}, {"request": None}):
            self.assertEqual(self.refused((200, body)).err_type, "bad_answer")

    def test_a_202_without_an_id_is_no_answer_either(self) -> None:
        for body in ({}, {"request_id": None}, {"request_id": "../keys"}):
            error = self.refused((202, body))
            self.assertEqual((error.err_type, error.status), ("bad_answer", 202))

    def test_wrong_use(self) -> None:
        key = Ed25519PrivateKey.generate()
        for url in ["http://vault.example", "https://vault.example/v1", "ftp://localhost", ""]:
            with self.assertRaises(ValueError):
                CountersignClient(url, str(uuid.uuid4()), key)
        with self.assertRaises(TypeError):
            rsa = generate_private_key(65537, 2048)
            CountersignClient("https://vault.example", str(uuid.uuid4()), rsa)  # type: ignore[arg-type]
        with self.assertRaises(ValueError):
            CountersignClient("https://vault.example", "no uuid", key)


if __name__ == "__main__":
    unittest.main()
