"""Signatures under one key that are asked for at the same time leave as one batch: by threads, and by tasks in one turn
of an event loop. Nothing waits for a timer, nor for what is under way. Each asker hears of their own, as if it had been
asked for alone.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from countersign.client import MOST_TOGETHER, CountersignClient, SignedRequest, VenueRequest
from countersign.errors import CountersignError

_Ended = TypeVar("_Ended")


class _Asked:
    """What somebody waits for. `answer`: None where it is to be asked for alone, in what is left of its time."""

    def __init__(self, request: VenueRequest, wait_s: float) -> None:
        self.request = request
        self.answer: Future[SignedRequest | None] = Future()
        self.answer.set_running_or_notify_cancel()  # a task that is cancelled leaves the others their answers
        self._deadline = time.monotonic() + wait_s
        self._claim = threading.Lock()

    def claim(self) -> bool:
        """True once: whoever claims it answers it, so that nothing is asked for twice."""
        return self._claim.acquire(blocking=False)

    def left_s(self) -> float:
        return max(0.0, self._deadline - time.monotonic())


def _give_way() -> None:
    """Lets threads run that are about to ask, too."""
    time.sleep(0)


class KeySignatures:
    """For any number of threads and event loops. `wait_s`: of one signature, approvals included."""

    def __init__(
        self,
        client: CountersignClient,
        key_id: str,
        wait_s: float = 60,
        give_way: Callable[[], None] = _give_way,
    ) -> None:
        self._client = client
        self._key_id = key_id
        self._wait_s = wait_s
        self._give_way = give_way
        self._lock = threading.Lock()
        self._waiting: list[_Asked] = []
        self._turns: dict[asyncio.AbstractEventLoop, list[_Asked]] = {}

    def sign(self, request: VenueRequest) -> SignedRequest:
        """Raises CountersignError."""
        asked = _Asked(request, self._wait_s)
        together: list[_Asked] = []
        try:
            with self._lock:
                self._waiting.append(asked)
            self._await_others()
            with self._lock:
                # whoever comes first asks for all; who finds nothing was asked for
                together, self._waiting = self._waiting[:MOST_TOGETHER], self._waiting[MOST_TOGETHER:]
            self._leave(together)
        except BaseException:
            # a time limit of this thread, say, which is none of the others
            self._withdraw(asked)
            _let_ask_alone(together)
            raise
        return asked.answer.result() or self._ask_alone(asked)

    async def sign_in_turn(self, request: VenueRequest) -> SignedRequest:
        """Raises CountersignError."""
        loop = asyncio.get_running_loop()
        asked = _Asked(request, self._wait_s)
        if loop not in self._turns:
            self._turns[loop] = []
            loop.call_soon(self._leave_turn, loop)
        self._turns[loop].append(asked)
        signed = await asyncio.wrap_future(asked.answer)
        return signed or await asyncio.wrap_future(_in_a_thread(lambda: self._ask_alone(asked)))

    def _leave_turn(self, loop: asyncio.AbstractEventLoop) -> None:
        """After the tasks that were ready with the first one that asked."""
        asked = self._turns.pop(loop)
        for at in range(0, len(asked), MOST_TOGETHER):
            self._leave(asked[at : at + MOST_TOGETHER])

    def _leave(self, together: list[_Asked]) -> None:
        """No asker's own thread asks for the others: what interrupts it would cut them off from what may be signed."""
        if len(together) > 1:
            try:
                _in_a_thread(lambda: self._ask(together))
                return
            except RuntimeError:
                pass  # no more threads are to be had
        _let_ask_alone(together)

    def _withdraw(self, asked: _Asked) -> None:
        """Nobody would send what is signed for it."""
        with self._lock:
            self._waiting = [one for one in self._waiting if one is not asked]

    def _await_others(self) -> None:
        """As long as others come."""
        count = 0
        while (now := len(self._waiting)) > count:
            count = now
            self._give_way()

    def _ask(self, together: list[_Asked]) -> None:
        """Answers each of them, whatever happens."""
        asked = [one for one in together if one.claim()]
        if not asked:
            return
        try:
            wait_s = asked[0].left_s()
            results = self._client.sign_batch(self._key_id, [one.request for one in asked], wait_s)
        except BaseException as error:  # noqa: BLE001 -- they all wait for it
            is_of_content = isinstance(error, CountersignError) and error.is_of_content
            for one in asked:
                _tell(one, None if is_of_content else error)
            return
        for one, result in zip(asked, results):
            to_ask_alone = isinstance(result, CountersignError) and result.asks_alone
            _tell(one, None if to_ask_alone else result)

    def _ask_alone(self, asked: _Asked) -> SignedRequest:
        return self._client.sign_venue_request(self._key_id, asked.request, asked.left_s())


def _in_a_thread(work: Callable[[], _Ended]) -> Future[_Ended]:
    """In one of its own: an event loop's executor has few, which others need, and approvals take minutes. A program that
    ends does not wait for it."""
    ended: Future[_Ended] = Future()
    ended.set_running_or_notify_cancel()

    def run() -> None:
        try:
            ended.set_result(work())
        except BaseException as error:  # noqa: BLE001 -- whoever waits for it is told
            ended.set_exception(error)

    threading.Thread(target=run, name="countersign", daemon=True).start()
    return ended


def _let_ask_alone(asked: list[_Asked]) -> None:
    for one in asked:
        if one.claim():
            one.answer.set_result(None)


def _tell(asked: _Asked, result: SignedRequest | BaseException | None) -> None:
    if isinstance(result, BaseException):
        asked.answer.set_exception(result)
    else:
        asked.answer.set_result(result)
