"""Arrays that are never needed at the same time share their memory."""

from steelyard.native.ir._scalar_graph import Block, Branch, Buffer, Item, Loop, Node, Store
from steelyard.native.trace._liveness import Alive


def share_memory(block: Block, alive: Alive) -> None:
    """Gives the arrays of a block, whose order is settled, as few places as they need."""
    own = {buffer for buffer in block.buffers if buffer in alive.buffers}
    first: dict[Buffer, int] = {}
    last: dict[Buffer, int] = {}
    for k, item in enumerate(block.items):
        for buffer in _touched(item):
            if buffer in own:
                first.setdefault(buffer, k)
                last[buffer] = k
    free_from: dict[Buffer, int] = {}
    for buffer in first:  # in the order in which they are written
        fitting = [slot for slot in free_from if slot.dtype == buffer.dtype and free_from[slot] < first[buffer]]
        slot = max(fitting, key=lambda found: found.size, default=buffer)
        free_from[slot] = last[buffer]
        if slot is not buffer:
            slot.size, buffer.name = max(slot.size, buffer.size), slot.name
            alive.buffers.discard(buffer)
    block.buffers[:] = list(free_from)


def _touched(item: Item) -> set[Buffer]:
    """Memory that a statement, or one inside it, reads or writes."""
    match item:
        case Node():
            return {item.extra} if item.op == "load" else set()
        case Store(buffer=buffer):
            return {buffer}
        case Loop(body=body):
            return {buffer for inner in body.items for buffer in _touched(inner)}
        case Branch(bodies=bodies):
            return {buffer for body in bodies for inner in body.items for buffer in _touched(inner)}
    return set()
