"""What of a block the result depends on."""

import dataclasses
from collections import defaultdict
from collections.abc import Iterator

from steelyard.native.ir._scalar_graph import Block, Branch, Buffer, Item, Loop, Node, Store


@dataclasses.dataclass(frozen=True)
class Alive:
    """Statements and memory that the result needs; the rest is not written."""

    items: set[Item]
    buffers: set[Buffer]

    @property
    def operations(self) -> int:
        """Nodes that compute something."""
        return sum(isinstance(item, Node) and item.op not in ("load", "index", "counter") for item in self.items)

    @property
    def bytes(self) -> int:
        """Of memory, if every number had a place of its own."""
        arrays = sum(8 * buffer.size for buffer in self.buffers if buffer.constant is None)
        return arrays + 8 * sum(isinstance(item, Node) for item in self.items)

    @staticmethod
    def in_block(block: Block, result: str) -> "Alive":
        """From the writes to the buffer of this name backwards."""
        writes: dict[Buffer, list[tuple[Store, tuple[Loop | Branch, ...]]]] = defaultdict(list)
        for store, around in _stores(block, ()):
            writes[store.buffer].append((store, around))
        items: set[Item] = set()
        buffers: set[Buffer] = set()
        todo: list[Node | Buffer] = [buffer for buffer in writes if buffer.name == result]
        while todo:
            item = todo.pop()
            if isinstance(item, Node):
                if item not in items and item.op != "const":
                    items.add(item)
                    todo += item.args
                    todo += [item.extra] if item.op == "load" else []
            elif item not in buffers:
                buffers.add(item)
                for store, around in writes[item]:
                    items.update((store, *around))
                    todo += [store.index, store.value, *(each.index for each in around if isinstance(each, Branch))]
        return Alive(items, buffers)


def _stores(block: Block, around: tuple[Loop | Branch, ...]) -> Iterator[tuple[Store, tuple[Loop | Branch, ...]]]:
    for item in block.items:
        match item:
            case Store():
                yield item, around
            case Loop(body=body):
                yield from _stores(body, (*around, item))
            case Branch(bodies=bodies):
                for body in bodies:
                    yield from _stores(body, (*around, item))
