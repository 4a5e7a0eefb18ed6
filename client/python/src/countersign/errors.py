"""What a call to the vault can come to."""

from __future__ import annotations

import re

# as the vault words it; names of rules are quoted
_LIMIT_REACHED = re.compile(
    r": velocity: [\d.]+ asked for, [\d.]+ \w+ allowed in \d+ s, at most [\d.]+ left"
)


class CountersignError(Exception):
    """`err_type`: of the service (`forbidden`, `invalid_inputs` and so on), or `unreachable` (no whole answer came),
    `bad_answer` (one that the API does not promise), `untrusted` (an answer to something else than was asked), `still_processing` (the time is over, and the request goes on
    under `request_id`), `expired`, `cancelled`. `status`: of HTTP; None when no answer came.
    """

    def __init__(
        self,
        err_type: str,
        err_msg: str,
        status: int | None = None,
        request_id: str | None = None,
    ) -> None:
        # what a service says may not forge a line of a log
        text = "".join(one if one.isprintable() else "?" for one in err_msg[:1000])
        super().__init__(f"{err_type}: {text}")
        self.err_type = err_type
        self.err_msg = text
        self.status = status
        self.request_id = request_id

    @property
    def is_passing(self) -> bool:
        """The same request may fare better later."""
        return self.err_type == "unreachable" or self.status in (429, 502, 503, 504)

    @property
    def is_frozen(self) -> bool:
        """The key, its venue, its vault or the system is frozen. The vault's own word stands first in its text."""
        scopes = ("system", "venue", "vault", "wallet", "key")
        is_said = any(self.err_msg.startswith(f"the {scope} is frozen") for scope in scopes)
        return self.err_type == "forbidden" and is_said

    @property
    def asks_alone(self) -> bool:
        """An item of a batch that a rule wants approved: it may be signed yet in a request of its own."""
        return self.err_type == "forbidden" and self.err_msg.endswith(": ask for this item alone")

    @property
    def is_of_content(self) -> bool:
        """Of a batch: refused for one of its items, or for the size of all, which says nothing of the others."""
        return self.err_type in ("invalid_inputs", "parse_error")

    @property
    def is_limit_reached(self) -> bool:
        """A rule's limit over time has no room now; later it has. The answer's retry-after says when at the earliest."""
        return self.err_type == "forbidden" and _LIMIT_REACHED.search(self.err_msg) is not None
