"""Where every message went: for each neighbour sent = received + lost + dropped by reason, copies aside."""

from collections import Counter

import msgspec

from steelyard.team.transport._tuning import TUNING

_REMEMBERED = TUNING.gate.numbers_remembered


class Account(msgspec.Struct):
    """What came from one process of one neighbour."""

    epoch: int
    received: int = 0
    dropped: dict[str, int] = {}
    """By reason; `replayed` counts copies, which nobody sent a second time."""
    newest: int = 0
    late: int = 0
    """One bit for each number up to the newest, least significant the newest: whether it has arrived."""
    arrived: int = 0
    """Different numbers that arrived, whatever became of them."""

    @property
    def lost(self) -> int:
        """Numbers up to the newest that have not arrived."""
        return self.newest - self.arrived

    def is_copy(self, number: int) -> bool:
        """Whether this number has come before, or is older than memory reaches."""
        back = self.newest - number
        return back >= 0 and (back >= _REMEMBERED or bool(self.late >> back & 1))

    def mark(self, number: int) -> None:
        """A number has arrived, for the first time."""
        ahead = number - self.newest
        if ahead > 0:
            self.late = (self.late << min(ahead, _REMEMBERED) | 1) & ((1 << _REMEMBERED) - 1)
            self.newest = number
        else:
            self.late |= 1 << -ahead
        self.arrived += 1

    def skip_to(self, number: int) -> None:
        """An earlier process of this robot has seen all up to this number."""
        self.newest, self.arrived, self.late = number, number, (1 << _REMEMBERED) - 1

    def drop(self, reason: str) -> None:
        """One more that was not taken."""
        self.dropped[reason] = self.dropped.get(reason, 0) + 1


class Ledger:
    """A robot's message counts: by neighbour and process what came, what was sent, and what came from nobody known."""

    def __init__(self, neighbours: tuple[str, ...]):
        self.accounts: dict[str, list[Account]] = {name: [] for name in neighbours}
        self.sent: dict[str, int] = dict.fromkeys(neighbours, 0)
        self.dropped: Counter[str] = Counter()
        """By reason, everything that was dropped, from whomever."""
        self.arrived = 0

    def account(self, sender: str, epoch: int) -> Account | None:
        """The account to write in; None for a process that a later one has made void."""
        accounts = self.accounts[sender]
        if not accounts or accounts[-1].epoch < epoch:
            accounts.append(Account(epoch))
        return accounts[-1] if accounts[-1].epoch == epoch else None

    def switch(self, sender: str, epoch: int) -> Account:
        """The account of a process that takes the place of the one before, or is that one again."""
        accounts = self.accounts[sender]
        known = next((one for one in accounts if one.epoch == epoch), None)
        self.accounts[sender] = [*(one for one in accounts if one is not known), known or Account(epoch)]
        return self.accounts[sender][-1]

    def reject(self, sender: str, reason: str) -> None:
        """What was let in from the current process of a neighbour is not used after all."""
        self.dropped[reason] += 1
        account = self.accounts[sender][-1]
        account.received -= 1
        account.drop(reason)

    @property
    def received(self) -> int:
        """All that was taken."""
        return sum(account.received for accounts in self.accounts.values() for account in accounts)

    @property
    def lost(self) -> int:
        """All that neighbours sent and that did not arrive, as far as later messages tell."""
        return sum(account.lost for accounts in self.accounts.values() for account in accounts)

    def as_json(self) -> dict:
        """For the final account of a team."""
        accounts = {
            name: [
                {
                    "epoch": one.epoch,
                    "received": one.received,
                    "lost": one.lost,
                    "dropped": dict(one.dropped),
                    "newest": one.newest,
                }
                for one in accounts
            ]
            for name, accounts in self.accounts.items()
        }
        return {"sent": dict(self.sent), "arrived": self.arrived, "dropped": dict(self.dropped), "from": accounts}
