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

from countersign.client import MOST_TOGETHER, CountersignClient, SignedRequest, VenueRequest
from countersign.errors import CountersignError


class _Asked:
    """What somebody waits for. `answer`: None where it is to be asked for alone, in what is left of its time."""

    def __init__(self, request: VenueRequest, wait_s: float) -> None:
        self.request = request
        self.answer: Future[SignedRequest | None] = Future()
        self.answer.set_running_or_notify_cancel()  # a task that is cancelled leaves the others their answers
        self._deadline = time.monotonic() + wait_s

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
        with self._lock:
            self._waiting.append(asked)
        self._await_others()
        with self._lock:
            # whoever comes first asks for all; who finds nothing was asked for
            taken, self._waiting = self._waiting[:MOST_TOGETHER], self._waiting[MOST_TOGETHER:]
        if len(taken) == 1:
            _tell(taken[0], None)
        elif taken:
            self._ask(taken)
        return asked.answer.result() or self._ask_alone(asked)

    async def sign_in_turn(self, request: VenueRequest) -> SignedRequest:
        """Raises CountersignError."""
        loop = asyncio.get_running_loop()
        asked = _Asked(request, self._wait_s)
        if loop not in self._turns:
            self._turns[loop] = []
            loop.call_soon(self._leave, loop)
        self._turns[loop].append(asked)
        signed = await asyncio.wrap_future(asked.answer)
        return signed or await asyncio.to_thread(self._ask_alone, asked)

    def _leave(self, loop: asyncio.AbstractEventLoop) -> None:
        """After the tasks that were ready with the first one that asked."""
        asked = self._turns.pop(loop)
        for at in range(0, len(asked), MOST_TOGETHER):
            together = asked[at : at + MOST_TOGETHER]
            if len(together) == 1:
                _tell(together[0], None)
            else:
                loop.run_in_executor(None, self._ask, together)

    def _await_others(self) -> None:
        """As long as others come."""
        count = 0
        while (now := len(self._waiting)) > count:
            count = now
            self._give_way()

    def _ask(self, asked: list[_Asked]) -> None:
        """Answers each of them, whatever happens."""
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


def _tell(asked: _Asked, result: SignedRequest | BaseException | None) -> None:
    if isinstance(result, BaseException):
        asked.answer.set_exception(result)
    else:
        asked.answer.set_result(result)
