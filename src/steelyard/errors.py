"""The exceptions that are meant for people."""


class BadInput(Exception):
    """What the user gave cannot be used.

    >>> import steelyard as sy
    >>> try:
    ...     sy.simulate("multirotr")
    ... except sy.BadInput as error:
    ...     print(error)
    Unknown scenario "multirotr"; did you mean "multirotor"?

    The message is a single sentence that names what is wrong (file, column, row, option) and the remedy;
    the command line prints it on standard error and ends with exit code 2.
    """


class Failed(Exception):
    """What was asked for went wrong, though what the user gave can be used.

    The message is a single sentence; the command line prints it on standard error and ends with exit code 1.
    """


def shown(value: object, most: int = 60) -> str:
    """A value in a sentence: on one line, cut short; its type where it cannot even be written.

    >>> shown([1, 2]), shown("much" * 100, most=9)
    ('[1, 2]', "'muchmuch…")
    """
    try:
        text = " ".join(repr(value).split())
    except Exception:
        return f"a {type(value).__name__} that cannot be written"
    return text if len(text) <= most else f"{text[:most]}…"


def nearest(word: str, known: list[str]) -> str:
    """The hint that ends an "unknown …" sentence: the nearest known word, or all of them.

    >>> nearest("multirotr", ["multirotor", "jets"])
    'did you mean "multirotor"?'
    """
    import difflib

    close = difflib.get_close_matches(word, known, n=1)
    if close:
        return f'did you mean "{close[0]}"?'
    return "known are " + ", ".join(f'"{name}"' for name in known) + "."
