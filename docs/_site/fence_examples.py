"""Shows the examples of docstrings as code: their `>>>` lines would be taken for text and links."""

import re

import griffe

EXAMPLE = re.compile(r"(?:^[ ]*>>> .*\n?(?:^[ ]*\S.*\n?)*)", re.MULTILINE)


class FenceExamples(griffe.Extension):
    """Puts every example of every docstring between code fences."""

    def on_instance(self, *, obj: griffe.Object, **others) -> None:
        """Is called for everything that may have a docstring."""
        text = obj.docstring.value if obj.docstring else ""
        if ">>>" in text and "```" not in text:
            obj.docstring.value = EXAMPLE.sub(lambda found: f"```pycon\n{found[0].rstrip()}\n```\n", text)
