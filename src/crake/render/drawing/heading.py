"""The two lines at the top of a drawing: what it is, and of what."""

from __future__ import annotations

from crake.render.drawing.canvas import Canvas


def whole_title(title: str, subtitle: str) -> str:
    """Return both in one line, for those who hear it.

    >>> whole_title("ROC curve", "naive Bayes, iris")
    'ROC curve: naive Bayes, iris'
    """
    return f"{title}: {subtitle}" if subtitle else title


def draw_heading(canvas: Canvas, title: str, subtitle: str) -> None:
    """Both in the upper left corner; 50 pixels high."""
    canvas.text(16, 24, title, "h", room=canvas.width - 32)
    if subtitle:
        canvas.text(16, 42, subtitle, "q", room=canvas.width - 32)
