"""What is asked for at the same time leaves as one request, and each asker hears of their own."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from unittest import mock

from countersign import together
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
        #: What is asked for alone waits for it, as for approvals.
        self.is_approved = threading.Event()
        self.is_approved.set()

    def sign_venue_request(self, _key: str, request: VenueRequest, wait_s: float) -> SignedRequest:
        self.alone.append((request.path, wait_s))
        self.is_approved.wait(30)
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


class NoExecutor(ThreadPoolExecutor):
    """A loop's, all of whose threads are in use."""

    def submit(self, *_given: Any, **_named: Any) -> Any:
        raise AssertionError("it is for others")


class TimeLimit(BaseException):
    """Of one thread, as a signal's handler raises it."""


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

    def test_tasks_leave_the_executor_of_their_loop_to_others(self) -> None:
        alone = [f"/order/{at}" for at in range(20)]
        client = FakeClient({path: CountersignError("forbidden", ALONE) for path in alone})
        client.is_approved.clear()
        signatures = KeySignatures(client, "k")  # type: ignore[arg-type]
        deadline = time.monotonic() + 5

        async def many() -> Any:
            asyncio.get_running_loop().set_default_executor(NoExecutor())
            waiting = asyncio.gather(*(signatures.sign_in_turn(order(at)) for at in range(20)))
            while len(client.alone) < 20 and time.monotonic() < deadline:
                await asyncio.sleep(0.001)
            asked = (signatures.sign_in_turn(order(at)) for at in (20, 21))
            at_once = await asyncio.wait_for(asyncio.gather(*asked), 5)
            client.is_approved.set()
            return at_once, await waiting

        at_once, approved = asyncio.run(many())
        self.assertEqual(at_once, [signed(order(at), "together") for at in (20, 21)])
        self.assertEqual(approved, [signed(order(at), "alone") for at in range(20)])

    def test_a_program_ends_without_what_waits_for_approvals(self) -> None:
        for count in (1, 2):
            with self.subTest(count):
                program = f"""
import asyncio, time
from countersign.together import KeySignatures
from tests.test_together import FakeClient, order

client = FakeClient()
client.is_approved.clear()
client.pause_s = 30
signatures = KeySignatures(client, "k")

async def one():
    asked = asyncio.gather(*(signatures.sign_in_turn(order(at)) for at in range({count})))
    try:
        await asyncio.wait_for(asked, 0.1)
    except asyncio.TimeoutError:
        print("over")

asyncio.run(one())
"""
                ended = subprocess.run(
                    [sys.executable, "-B", "-c", program], capture_output=True, text=True, timeout=20
                )
                self.assertEqual((ended.stdout, ended.stderr), ("over\n", ""))

    def test_what_interrupts_the_thread_that_asks_for_all_is_raised_there_alone(self) -> None:
        """A signal's handler runs in the main thread, which takes what all three ask for and waits for the vault."""
        interrupted = threading.Event()

        class Interrupting(FakeClient):
            def sign_batch(self, *given: Any) -> list[Ended]:
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGALRM)
                interrupted.wait(30)
                return super().sign_batch(*given)

        def interrupt(*_given: object) -> None:
            interrupted.set()
            raise TimeLimit

        def give_way() -> None:
            if threading.current_thread() is not threading.main_thread():
                interrupted.wait(30)
            while len(signatures._waiting) < 3 and not interrupted.is_set():
                time.sleep(0.001)

        before = signal.signal(signal.SIGALRM, interrupt)
        self.addCleanup(signal.signal, signal.SIGALRM, before)
        client = Interrupting()
        signatures = KeySignatures(client, "k", 60, give_way)  # type: ignore[arg-type]
        with ThreadPoolExecutor(2) as threads:
            asked = [threads.submit(signatures.sign, order(at)) for at in (1, 2)]
            with self.assertRaises(TimeLimit):
                signatures.sign(order(0))
            results = [one.exception(30) or one.result() for one in asked]
        self.assertEqual(results, [signed(order(at), "together") for at in (1, 2)])
        self.assertEqual(([len(one) for one in client.batches], client.alone), ([3], []))

    def test_whatever_is_interrupted_on_leaving_is_asked_for_once(self) -> None:
        in_a_thread = together._in_a_thread

        def limit(*_given: object) -> None:
            raise TimeLimit

        def begin_and_limit(work: Any) -> None:
            in_a_thread(work)
            raise TimeLimit

        for leave in (limit, begin_and_limit):
            with self.subTest(leave.__name__), mock.patch.object(together, "_in_a_thread", leave):
                client = FakeClient()
                results = by_threads(client, 20)
                self.assertEqual(sum(isinstance(one, TimeLimit) for one in results), 1)
                self.assertEqual(sum(isinstance(one, SignedRequest) for one in results), 19)
                paths = [path for one in client.batches for path in one]
                paths += [path for path, _ in client.alone]
                self.assertEqual(len(paths), len(set(paths)))

    def test_whoever_is_interrupted_before_has_nothing_signed(self) -> None:
        client = FakeClient()
        limits: list[BaseException] = [TimeLimit()]

        def give_way() -> None:
            if limits:
                raise limits.pop()

        signatures = KeySignatures(client, "k", 60, give_way)  # type: ignore[arg-type]
        with self.assertRaises(TimeLimit):
            signatures.sign(order(0))
        self.assertEqual(signatures.sign(order(1)), signed(order(1), "alone"))
        self.assertEqual((client.batches, len(client.alone)), ([], 1))

    def test_threads_ask_by_themselves_where_no_more_are_to_be_had(self) -> None:
        client = FakeClient()
        with mock.patch.object(together, "_in_a_thread", side_effect=RuntimeError("no more")):
            self.assertEqual(by_threads(client, 3), [signed(order(at), "alone") for at in range(3)])
        self.assertEqual(client.batches, [])

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
