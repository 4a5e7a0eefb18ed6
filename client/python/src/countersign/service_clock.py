"""The clock of the service, as far as a machine with another one believes what it is told of it."""

from __future__ import annotations

import time

#: Who can answer in the service's place, behind its TLS, can have requests dated this much ahead, keep them, and show them
#: to the service then. A clock that is further off is for its owner to repair.
_MAX_CORRECTION_MS = 3_600_000
#: The service takes 5 minutes, so that nobody who is nearer is refused for it.
_MIN_CORRECTION_MS = 60_000
#: The service tells its time to the second, cut off.
_MEAN_CUT_MS = 500


class ServiceClock:
    """However often it is corrected, it is never further off than once."""

    def __init__(self) -> None:
        self._ahead_ms = 0

    def now_ms(self) -> int:
        return _machine_ms() + self._ahead_ms

    def correct(self, server_time_ms: int) -> bool:
        """What the service said that its clock is. False where that is too far off to be believed; otherwise what is signed
        from here on has the service's time."""
        said_ms = server_time_ms + _MEAN_CUT_MS - _machine_ms()
        if abs(said_ms) > _MAX_CORRECTION_MS:
            return False
        if abs(said_ms - self._ahead_ms) > _MIN_CORRECTION_MS:
            self._ahead_ms = said_ms
        return True


def _machine_ms() -> int:
    return time.time_ns() // 1_000_000
