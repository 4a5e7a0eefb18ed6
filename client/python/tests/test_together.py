"""What is asked for at the same time leaves as one request, and each asker hears of their own."""

from __future__ import annotations

import asyncio
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from countersign.client import SignedRequest, VenueRequest
from countersign.errors import CountersignError
from countersign.together import KeySignatures

Ended = SignedRequest | CountersignError
ALONE = "approvals are asked for by rule r of signing policy p: ask for this item alone"


def order(at: int) -> VenueRequest:
    return VenueRequest("POST", f"/order/{at}")


def signed(request: VenueRequest, how: str) -> SignedRequest:
    return SignedRequest(request.method, request.path, "", {"signed": how}, "")


class FakeClient:
    """Signs everything, or refuses what lies at these paths, or a batch as a whole."""

    def __init__(self, refused: dict[str, CountersignError] | None = None) -> None:
        self.refused = refused or {}
        self.whole: BaseException | None = None
        self.alone: list[tuple[str, float]] = []
        self.batches: list[list[str]] = []
        self.pause_s = 0.0

    def sign_venue_request(self, _key: str, request: VenueRequest, wait_s: float) -> SignedRequest:
        self.alone.append((request.path, wait_s))
        return signed(request, "alone")

    def sign_batch(self, _key: str, requests: list[VenueRequest], _wait_s: float) -> list[Ended]:
        self.batches.append([one.path for one in requests])
        time.sleep(self.pause_s)
        if self.whole is not None:
            raise self.whole
        return [self.refused.get(one.path) or signed(one, "together") for one in requests]


def by_threads(client: FakeClient, count: int, wait_s: float = 60) -> list[Any]:
    """Each from a thread of its own, all of which have asked before the first goes on."""
    everybody = threading.Barrier(count)
    arrived = threading.local()

    def give_way() -> None:
        if not hasattr(arrived, "once"):
            arrived.once = True
            everybody.wait(30)

    signatures = KeySignatures(client, "k", wait_s, give_way)  # type: ignore[arg-type]
    with ThreadPoolExecutor(count) as threads:
        asked = [threads.submit(signatures.sign, order(at)) for at in range(count)]
    return [one.exception() or one.result() for one in asked]


def by_tasks(client: FakeClient, count: int, wait_s: float = 60) -> list[Any]:
    signatures = KeySignatures(client, "k", wait_s)  # type: ignore[arg-type]

    async def many() -> list[Any]:
        asked = (signatures.sign_in_turn(order(at)) for at in range(count))
        return await asyncio.gather(*asked, return_exceptions=True)

    return asyncio.run(many())


BOTH = [by_threads, by_tasks]


class TogetherTest(unittest.TestCase):
    def test_each_gets_their_own_of_one_request(self) -> None:
        for ask in BOTH:
            with self.subTest(ask.__name__):
                client = FakeClient()
                results = ask(client, 20)
                self.assertEqual([len(one) for one in client.batches], [20])
                self.assertEqual(client.alone, [])
                self.assertEqual(results, [signed(order(at), "together") for at in range(20)])

    def test_at_most_64_are_in_one_request(self) -> None:
        for ask in BOTH:
            with self.subTest(ask.__name__):
                client = FakeClient()
                results = ask(client, 129)
                self.assertEqual(sorted(len(one) for one in client.batches), [64, 64])
                self.assertEqual(len(client.alone), 1)
                self.assertEqual([one.path for one in results], [order(at).path for at in range(129)])

    def test_one_alone_is_a_request_as_before(self) -> None:
        for ask in BOTH:
            with self.subTest(ask.__name__):
                client = FakeClient()
                self.assertEqual(ask(client, 1), [signed(order(0), "alone")])
                self.assertEqual(client.batches, [])

    def test_nobody_waits_for_what_is_under_way(self) -> None:
        client = FakeClient()
        client.pause_s = 2
        signatures = KeySignatures(client, "k")  # type: ignore[arg-type]

        async def lone() -> float:
            ladder = asyncio.gather(*(signatures.sign_in_turn(order(at)) for at in range(2)))
            while not client.batches:
                await asyncio.sleep(0.001)
            began = time.monotonic()
            await signatures.sign_in_turn(order(2))
            await asyncio.to_thread(signatures.sign, order(3))
            took_s = time.monotonic() - began
            await ladder
            return took_s

        self.assertLess(asyncio.run(lone()), 1)

    def test_a_denial_is_of_one(self) -> None:
        for ask in BOTH:
            with self.subTest(ask.__name__):
                error = CountersignError("forbidden", "no rule allows it", request_id="i")
                client = FakeClient({"/order/1": error})
                results = ask(client, 3)
                self.assertEqual([one is error for one in results], [False, True, False])
                self.assertEqual(client.alone, [])

    def test_what_a_rule_wants_approved_is_asked_for_again_alone(self) -> None:
        for ask in BOTH:
            with self.subTest(ask.__name__):
                client = FakeClient({"/order/1": CountersignError("forbidden", ALONE)})
                client.pause_s = 0.05
                results = ask(client, 3, 10)
                hows = [one.headers["signed"] for one in results]
                self.assertEqual(hows, ["together", "alone", "together"])
                [(path, left_s)] = client.alone
                self.assertEqual(path, "/order/1")
                self.assertTrue(0 < left_s <= 9.95, left_s)

    def test_a_batch_that_is_refused_is_a_refusal_of_each_but_for_its_content(self) -> None:
        for ask in BOTH:
            for kind, is_of_content in [
                ("forbidden", False),
                ("gateway_timeout", False),
                ("invalid_inputs", True),
                ("parse_error", True),
            ]:
                with self.subTest(f"{ask.__name__} {kind}"):
                    client = FakeClient()
                    client.whole = CountersignError(kind, "no")
                    results = ask(client, 2)
                    expected = [signed(order(at), "alone") for at in range(2)]
                    self.assertEqual(results, expected if is_of_content else [client.whole] * 2)

    def test_what_is_thrown_is_thrown_to_each(self) -> None:
        for ask in BOTH:
            with self.subTest(ask.__name__):
                client = FakeClient()
                client.whole = ValueError("wrong use")
                self.assertEqual(ask(client, 2), [client.whole] * 2)

    def test_a_task_that_is_cancelled_leaves_the_others_theirs(self) -> None:
        client = FakeClient()
        client.pause_s = 0.1
        signatures = KeySignatures(client, "k")  # type: ignore[arg-type]

        async def some() -> Any:
            tasks = [asyncio.create_task(signatures.sign_in_turn(order(at))) for at in range(3)]
            while not client.batches:
                await asyncio.sleep(0.001)
            tasks[0].cancel()
            return await asyncio.gather(*tasks, return_exceptions=True)

        results = asyncio.run(some())
        self.assertIsInstance(results[0], asyncio.CancelledError)
        self.assertEqual(results[1:], [signed(order(at), "together") for at in (1, 2)])

    def test_threads_that_run_at_once_share_requests(self) -> None:
        """Without a barrier: how many is up to the machine, that all come through is not."""
        client = FakeClient()
        client.pause_s = 0.01
        signatures = KeySignatures(client, "k")  # type: ignore[arg-type]
        with ThreadPoolExecutor(20) as threads:
            results = list(threads.map(signatures.sign, map(order, range(400))))
        self.assertEqual([one.path for one in results], [order(at).path for at in range(400)])
        asked = len(client.alone) + sum(len(one) for one in client.batches)
        self.assertEqual(asked, 400)


if __name__ == "__main__":
    unittest.main()
