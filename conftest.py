"""Examples in documents: output may hold blank lines as it does on a screen, without doctest's mark for them."""

from __future__ import annotations

import doctest

PROMPT, FENCE = ">>>", "```"

_parse = doctest.DocTestParser.parse


def marked(text: str) -> str:
    """Return Markdown with doctest's mark in place of each blank line inside the output of an example.

    A blank line before the next prompt, or before the end of the code block, ends the output.
    """
    lines = text.split("\n")
    is_code, has_prompt = False, False
    for at, line in enumerate(lines):
        if line.startswith(FENCE):
            is_code, has_prompt = not is_code, False
        elif line.startswith(PROMPT):
            has_prompt = is_code
        elif has_prompt and not line.strip():
            following = next((later for later in lines[at + 1 :] if later.strip()), FENCE)
            if not following.startswith((PROMPT, FENCE)):
                lines[at] = "<BLANKLINE>"
    return "\n".join(lines)


def _parse_markdown(self: doctest.DocTestParser, string: str, name: str = "<string>") -> list[str | doctest.Example]:
    return _parse(self, marked(string) if name.endswith(".md") else string, name)


doctest.DocTestParser.parse = _parse_markdown  # type: ignore[method-assign]
