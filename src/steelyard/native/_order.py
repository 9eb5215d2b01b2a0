"""The order of statements: each number is made shortly before it is used, so that few are held at a time."""

from steelyard.native._nodes import Block, Node, Store


def late_first(block: Block) -> None:
    """Orders a block without loops depth first, result by result; a block with loops stays as it is."""
    stores = [item for item in block.items if isinstance(item, Store)]
    if block.buffers or len(stores) != sum(not isinstance(item, Node) for item in block.items):
        return
    placed: set[Node] = set()
    order: list[Node] = []
    for store in stores:
        todo = [(store.value, 0)]
        while todo:
            node, done = todo.pop()
            if node in placed or node.op == "const":
                continue
            if done < len(node.args):
                todo += [(node, done + 1), (node.args[done], 0)]
            else:
                placed.add(node)
                order.append(node)
    block.items[:] = [*order, *stores]
