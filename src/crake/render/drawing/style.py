"""The style of every drawing: colours as CSS variables, light and dark, on the screen and in print.

Every rule lies under .crake-drawing and every class begins with cd-: a drawing may stand in a page beside anything
else. Each colour is given twice, once as it is: programs that know no variables then draw the light one.
"""

from __future__ import annotations

from functools import cache

SERIES = 8
"""Colours for lines and classes; of more, the rest is grey."""

_LIGHT = {
    "paper": "#ffffff", "ink": "#1d2126", "quiet": "#59626d", "hair": "#dcdad3", "grey": "#7d858e", "wash": "#f3f1ec",
    "0": "#0a6197", "1": "#c04a0f", "2": "#2a7a4b", "3": "#7b4ea3", "4": "#8f6d00", "5": "#0c7f80", "6": "#b3366f",
    "7": "#5d4a3c",
}  # fmt: skip
_DARK = {
    "paper": "#1a1e22", "ink": "#e9ebed", "quiet": "#a7afb8", "hair": "#3a4148", "grey": "#8c949d", "wash": "#252b31",
    "0": "#7cc4f0", "1": "#f0945c", "2": "#7fcf9b", "3": "#c7a6ec", "4": "#e0bf4f", "5": "#63d0cf", "6": "#f08ab8",
    "7": "#cbb39f",
}  # fmt: skip
_FONT = 'system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Liberation Sans",sans-serif'

SIZES = {"h": 14.0, "t": 12.0, "b": 12.0, "q": 11.5, "s": 10.5}
"""Headings, text, bold text, quiet text (axes) and small text, in pixels."""
BOLD = frozenset("hb")

DASHES = ("", "7 4", "2 3", "9 3 2 3", "4 2", "12 4", "1 2.5", "6 2 1 2 1 2")
"""Dashes of the lines of a series, for where colours do not help."""


@cache
def sheet() -> str:
    """Return the rules, once for every drawing (about 3 kB)."""
    light, dark = (";".join(f"--cd-{k}:{v}" for k, v in each.items()) for each in (_LIGHT, _DARK))
    rules = [
        f".crake-drawing{{{light};font-family:{_FONT};font-variant-numeric:tabular-nums;direction:ltr}}",
        f"@media screen and (prefers-color-scheme:dark){{.crake-drawing{{{dark}}}}}",
        f'[data-jp-theme-light="true"] .crake-drawing{{{light}}}',
        f'@media screen{{[data-jp-theme-light="false"] .crake-drawing,.vscode-dark .crake-drawing{{{dark}}}}}',
        "@media print{.crake-drawing{print-color-adjust:exact;-webkit-print-color-adjust:exact}}",
        *(_letters(role, size) for role, size in SIZES.items()),
        _rule("paper", fill="paper"),
        _rule("wash", fill="wash"),
        _rule("box", fill="paper", stroke="grey"),
        _rule("hair", stroke="hair"),
        _rule("axis", stroke="quiet"),
        _rule("grey", stroke="grey"),
        _rule("inked", stroke="ink"),
        _rule("ink", fill="ink"),
        _rule("greyed", fill="grey"),
        _rule("halo", "paint-order:stroke;stroke-width:4px;stroke-linejoin:round", stroke="paper"),
        ".crake-drawing .cd-line{fill:none}",
        *(_rule(f"l{k}", stroke=str(k)) for k in range(SERIES)),
        *(_rule(f"f{k}", fill=str(k)) for k in range(SERIES)),
    ]
    return "".join(rules)


def _letters(role: str, size: float) -> str:
    colour = "quiet" if role in "qs" else "ink"
    weight = ";font-weight:600" if role in BOLD else ";font-weight:400"
    return _rule(role, f"font-size:{size:g}px{weight};font-family:inherit", fill=colour)


def _rule(name: str, more: str = "", **colours: str) -> str:
    declarations = [f"{what}:{_LIGHT[colour]};{what}:var(--cd-{colour})" for what, colour in colours.items()]
    return f".crake-drawing .cd-{name}{{{';'.join([*declarations, *([more] if more else [])])}}}"
