"""A table by whole numbers of which a copy costs next to nothing: pages are shared until somebody changes them."""

from collections.abc import Iterator
from typing import Generic, TypeVar

from steelyard.team.spatial_load._tuning import TUNING

_T = TypeVar("_T")
_PAGE = TUNING.page_size


class PagedTable(Generic[_T]):
    """Like a dict whose keys are close together."""

    __slots__ = ("_mine", "_pages")

    def __init__(self) -> None:
        self._pages: dict[int, dict[int, _T]] = {}
        self._mine: set[int] = set()  # pages that no copy has

    def copied(self) -> "PagedTable[_T]":
        """The same, on its own."""
        twin: PagedTable[_T] = PagedTable()
        twin._pages = self._pages.copy()
        self._mine = set()
        return twin

    def get(self, key: int) -> _T | None:
        """What is there."""
        page = self._pages.get(key // _PAGE)
        return None if page is None else page.get(key)

    def __contains__(self, key: int) -> bool:
        page = self._pages.get(key // _PAGE)
        return page is not None and key in page

    def __setitem__(self, key: int, value: _T) -> None:
        self._own(key // _PAGE)[key] = value

    def keep_from(self, key: int) -> None:
        """Drops all that comes before a key."""
        k = key // _PAGE
        self._pages = {one: page for one, page in self._pages.items() if one >= k}
        if any(one < key for one in self._pages.get(k, ())):
            self._pages[k] = {one: value for one, value in self._pages[k].items() if one >= key}
            self._mine.add(k)
            if not self._pages[k]:
                del self._pages[k]
        self._mine.intersection_update(self._pages)

    def items(self) -> Iterator[tuple[int, _T]]:
        """All of it; pages in the order in which they came."""
        for page in self._pages.values():
            yield from page.items()

    def first(self) -> int | None:
        """The smallest key."""
        return min(self._pages[min(self._pages)]) if self._pages else None

    def __bool__(self) -> bool:
        return bool(self._pages)

    def _own(self, k: int) -> dict[int, _T]:
        if k not in self._mine:
            self._pages[k] = self._pages.get(k, {}).copy()
            self._mine.add(k)
        return self._pages[k]
