"""The order of statements: each number is made shortly before it is used, so that few are held at a time."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from steelyard.native.ir._scalar_graph import Block, Branch, Buffer, Choice, Item, Loop, Node, Store
from steelyard.native.ir._tuning import TUNING
from steelyard.native.trace._liveness import Alive

Needs = dict[Item, list[Item]]
"""What must stand before each statement of a block."""
Choices = Mapping[Item, Choice]
"""By each node that is in one."""


def late_first(block: Block, alive: Alive, result: str) -> None:
    """Orders a block depth first, write by write, those of the result at the end; what nobody needs is dropped."""
    needs = _needs([item for item in block.items if item in alive.items], result)
    choices: dict[Item, Choice] = {}
    selects = [item for item in needs if isinstance(item, Node) and item.op == "select"]
    for condition, count in Counter(node.args[0] for node in selects).items():
        if count >= TUNING.branch_from:
            choices.update(_gathered(condition, needs, choices))
    block.items[:] = dict.fromkeys(choices.get(item, item) for item in _ordered(needs, choices))


def _needs(items: list[Item], result: str) -> Needs:
    """Writes stay in their order; a number is read after it was written, and before something else is."""
    here, needs = set(items), {}
    wrote: dict[Buffer, Item] = {}
    read: dict[Buffer, list[Item]] = defaultdict(list)
    before: list[Item] = []
    writers = [item for item in items if not isinstance(item, Node) and any(b.name == result for b in _written(item))]
    for item in items:
        if isinstance(item, Node):
            needs[item] = [arg for arg in item.args if arg in here]
            if item.op == "load":
                needs[item] += [wrote[item.extra]] if item.extra in wrote else []
                read[item.extra].append(item)
            continue
        # The result may lie where an argument lies: all of it is there before any of it is written.
        used = _used(writers if writers and item is writers[0] else [item])
        needs[item] = [*before, *(node for node in used if node in here)]
        for buffer in _written(item):
            needs[item] += read.pop(buffer, [])
            wrote[buffer] = item
        before = [item]
    return needs


def _used(items: Iterable[Item]) -> Iterator[Node]:
    """Nodes that statements, and those inside them, refer to."""
    for item in items:
        match item:
            case Node(args=args):
                yield from args
            case Store(index=index, value=value):
                yield from (index, value)
            case Loop(body=body):
                yield from _used(body.items)
            case Branch(index=index, bodies=bodies):
                yield index
                for body in bodies:
                    yield from _used(body.items)


def _written(item: Item) -> Iterator[Buffer]:
    match item:
        case Store(buffer=buffer):
            yield buffer
        case Loop(body=body):
            yield from dict.fromkeys(buffer for inner in body.items for buffer in _written(inner))
        case Branch(bodies=bodies):
            yield from dict.fromkeys(b for body in bodies for inner in body.items for b in _written(inner))


def _ordered(needs: Needs, choices: Choices) -> list[Item]:
    """Every statement after those that it needs, the nodes of a choice together."""
    placed: dict[Item, None] = {}
    todo: list[tuple[Item, Iterator[Item]]] = []

    def open(item: Item) -> None:
        together = choices[item].nodes if item in choices else [item]
        todo.append((item, (need for each in together for need in needs[each])))

    for item in needs:
        if not isinstance(item, Node):
            open(item)
        while todo:
            at, left = todo[-1]
            need = next((each for each in left if each not in placed), None)
            if need is not None:
                open(need)
                continue
            todo.pop()
            placed.update(dict.fromkeys(choices[at].nodes if at in choices else [at]))
    return list(placed)


def _gathered(condition: Node, needs: Needs, choices: Choices) -> dict[Item, Choice]:
    """The `select`s by a condition, apart where one needs another."""
    depth: dict[Item, int] = {}
    at: dict[int, list[Node]] = defaultdict(list)
    for item in _ordered(needs, choices):
        together = choices[item].nodes if item in choices else [item]
        below = max((depth.get(need, 0) for each in together for need in needs[each]), default=0)
        depth[item] = below
        if isinstance(item, Node) and item.op == "select" and item.args[0] is condition:
            depth[item] += 1
            at[below].append(item)
    found = [Choice(nodes) for nodes in at.values() if len(nodes) >= TUNING.branch_from]
    return {node: choice for choice in found for node in choice.nodes}
