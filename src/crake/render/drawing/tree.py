"""A decision tree drawn: boxes that ask and answer, edges as wide as their share of rows, a bar of classes in each box.

Small trees grow downwards; large ones to the right, where boxes are low and many stand below each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from crake.render.drawing.canvas import Canvas, coordinate
from crake.render.drawing.class_bar import ClassColours, draw_class_bar
from crake.render.drawing.drawing import Drawing
from crake.render.drawing.heading import draw_heading, whole_title
from crake.render.drawing.legend import draw_legend, legend_height
from crake.render.drawing.style import SIZES
from crake.render.drawing.text_width import text_width
from crake.render.drawing.tree_layout import tidy
from crake.render.plain_text import visible

WIDEST_DOWN = 1200
"""A tree that would be wider than this when it grows downwards grows to the right."""
_MARGIN, _PAD = 16.0, 10.0
_LONGEST, _LONGEST_EDGE = 190.0, 165.0


@dataclass(frozen=True)
class TreeNode:
    """A box: what it asks or answers, a line of detail, its weight and class shares (or its mean and deviation).

    `parent` is −1 for the root; parents come before their children, siblings in their order. `edge` is written on the
    way to it. `hidden` counts leaves below that are not drawn. `style` is the number of the class that it answers.
    In a page a box may be a link, and `toggle` the address that opens or closes what is below it. A marked box lies on
    the way of a row.
    """

    parent: int
    edge: str
    label: str
    detail: str
    rows: float
    shares: tuple[float, ...] = ()
    is_leaf: bool = False
    hidden: int = 0
    style: int = -1
    mean: float | None = None
    deviation: float = 0.0
    title: str = ""
    link: str = ""
    toggle: str = ""
    is_open: bool = False
    is_marked: bool = False
    is_selected: bool = False


@dataclass(frozen=True)
class TreePicture:
    """The boxes, from the root on; `classes` are the names of the shares, `between` the range of the means."""

    title: str
    subtitle: str
    finding: str
    nodes: tuple[TreeNode, ...]
    classes: tuple[str, ...] = ()
    between: tuple[float, float] = (0.0, 1.0)


def tree_drawing(picture: TreePicture, direction: str | None = None) -> Drawing:
    """Return the picture as something to show and to save; it keeps its size, and the page scrolls.

    direction : "down", "right", or None: down if that is at most 1,200 pixels wide.
    """
    title = whole_title(picture.title, picture.subtitle)
    return Drawing(title, picture.finding, lambda: _drawn(picture, direction), is_fluid=False)


def tree_svg(picture: TreePicture, direction: str | None = None) -> str:
    """Return the picture as text."""
    return tree_drawing(picture, direction).svg()


@dataclass(frozen=True)
class _Placed:
    """A box with the place of its corner and its size, and the room for the words on its edge."""

    x: float
    y: float
    width: float
    height: float
    edge_room: float

    @property
    def right(self) -> float:
        """The right edge of the box, or of the words above its middle where they are wider."""
        return self.x + self.width / 2 + max(self.width, self.edge_room) / 2


def _drawn(picture: TreePicture, direction: str | None) -> Canvas:
    is_down = direction != "right"
    boxes = _down(picture.nodes) if is_down else _right(picture.nodes)
    if direction is None and max(box.x + box.width for box in boxes) > WIDEST_DOWN:
        is_down, boxes = False, _right(picture.nodes)
    colours = ClassColours(picture.classes)
    wide = max(420.0, *((box.right if is_down else box.x + box.width) + _MARGIN for box in boxes))
    legend = colours.entries() if picture.classes else ()
    high = max(box.y + box.height for box in boxes) + _MARGIN + legend_height(legend, min(wide, 900) - 32) + 10
    canvas = Canvas(wide, high)
    draw_heading(canvas, picture.title, picture.subtitle)
    canvas.open(opacity=0.4)
    _edges(canvas, picture.nodes, boxes, is_down=is_down)
    canvas.close()
    _edge_words(canvas, picture.nodes, boxes, is_down=is_down)
    for node, box in zip(picture.nodes, boxes, strict=True):
        _box(canvas, node, box, colours, picture.between, is_down=is_down)
    if legend:
        top = max(box.y + box.height for box in boxes) + _MARGIN
        draw_legend(canvas, legend, _MARGIN, top, min(wide, 900) - 32)
    return canvas


def _depths(nodes: Sequence[TreeNode]) -> list[int]:
    depths: list[int] = []
    for node in nodes:
        depths.append(0 if node.parent < 0 else depths[node.parent] + 1)
    return depths


def _edge_width(node: TreeNode) -> float:
    return min(_LONGEST_EDGE, text_width(visible(node.edge), SIZES["t"]) + 4) if node.edge else 0.0


def _line(node: TreeNode) -> float:
    """Return the width of the label."""
    return min(_LONGEST, text_width(visible(node.label), SIZES["b"], bold=True))


def _detail(node: TreeNode) -> float:
    return text_width(visible(node.detail), SIZES["s"])


def _down(nodes: Sequence[TreeNode]) -> list[_Placed]:
    """Return two lines and the bar, 50 pixels high; words stand above the box that they lead to."""
    widths = [max(84.0, _line(node), min(_LONGEST, _detail(node))) + 2 * _PAD for node in nodes]
    breadths = [max(width, _edge_width(node)) for node, width in zip(nodes, widths, strict=True)]
    middles = tidy([node.parent for node in nodes], breadths, gap=14)
    return [
        _Placed(_MARGIN + middle - width / 2, 58 + 118 * depth, width, 50, _edge_width(node))
        for node, middle, width, depth in zip(nodes, middles, widths, _depths(nodes), strict=True)
    ]


def _right(nodes: Sequence[TreeNode]) -> list[_Placed]:
    """Return one line and the bar, 27 pixels high; boxes of one depth are equally wide, words stand at their left."""
    depths = _depths(nodes)
    levels = max(depths) + 1
    widths, rooms = [84.0] * levels, [0.0] * levels
    for node, depth in zip(nodes, depths, strict=True):
        widths[depth] = max(widths[depth], _line(node) + 8 + _detail(node) + 2 * _PAD)
        rooms[depth] = max(rooms[depth], _edge_width(node))
    starts = [_MARGIN]
    for depth in range(1, levels):
        starts.append(starts[-1] + widths[depth - 1] + 46 + rooms[depth] + 8)
    middles = tidy([node.parent for node in nodes], [27.0] * len(nodes), gap=7)
    return [
        _Placed(starts[depth], 60 + middle - 13.5, widths[depth], 27, rooms[depth])
        for middle, depth in zip(middles, depths, strict=True)
    ]


def _edges(canvas: Canvas, nodes: Sequence[TreeNode], boxes: Sequence[_Placed], *, is_down: bool) -> None:
    """From the side of the parent, where they lie beside each other as wide as their rows, to the child's word.

    The word stands between the line and the box: a line behind "> 7" would make it "> -7".
    """
    total = max(nodes[0].rows, 1e-300)
    widest = 18.0 if is_down else 14.0
    used = [0.0] * len(nodes)
    offset = [0.0] * len(nodes)
    for node in nodes[1:]:
        offset[node.parent] += node.rows / total * widest
    for at, node in enumerate(nodes):
        if node.parent < 0:
            continue
        wide = node.rows / total * widest
        above, box = boxes[node.parent], boxes[at]
        beside = -offset[node.parent] / 2 + used[node.parent] + wide / 2
        used[node.parent] += wide
        d = _edge_down(above, box, beside) if is_down else _edge_right(above, box, beside, _edge_width(node))
        canvas.path(
            d, "line l0" if node.is_marked else "line grey", stroke_width=max(3.0 if node.is_marked else 1.0, wide)
        )


def _edge_down(above: _Placed, box: _Placed, beside: float) -> str:
    x1, y1 = above.x + above.width / 2 + beside, above.y + above.height
    x2, y2 = box.x + box.width / 2, box.y
    bend = y1 + (y2 - 22 - y1) / 2
    a, b, c, d, e, f, g, h = map(coordinate, (x1, y1, x1, bend, x2, bend, x2, y2 - 22))
    return f"M{a} {b}C{c} {d} {e} {f} {g} {h}"


def _edge_right(above: _Placed, box: _Placed, beside: float, word: float) -> str:
    x1, y1 = above.x + above.width, above.y + above.height / 2 + beside
    x2, y2 = box.x - box.edge_room - 12, box.y + box.height / 2
    bend = x1 + (x2 - x1) / 2
    a, b, c, d, e, f, g = map(coordinate, (x1, y1, bend, y2, x2, y2, box.x - 12 - word))
    return f"M{a} {b}C{c} {b} {c} {d} {e} {f}H{g}"


def _edge_words(canvas: Canvas, nodes: Sequence[TreeNode], boxes: Sequence[_Placed], *, is_down: bool) -> None:
    for node, box in zip(nodes, boxes, strict=True):
        if not node.edge:
            continue
        if is_down:
            canvas.text(box.x + box.width / 2, box.y - 8, node.edge, anchor="middle", room=_LONGEST_EDGE)
        else:
            canvas.text(box.x - 8, box.y + box.height / 2 + 4, node.edge, anchor="end", room=_LONGEST_EDGE)


def _box(
    canvas: Canvas, node: TreeNode, box: _Placed, colours: ClassColours, between: tuple[float, float], *, is_down: bool
) -> None:
    if node.link:
        canvas.open_link(node.link, label=node.title or node.label, is_current=node.is_selected)
    canvas.open(title=node.title)
    corner = 3 if node.is_leaf else 9
    dashes = "4 3" if node.hidden else ""
    canvas.rect(box.x, box.y, box.width, box.height, "box", rx=corner, stroke_dasharray=dashes)
    if node.is_marked or node.is_selected:
        wide = 3 if node.is_selected else 2
        canvas.rect(box.x, box.y, box.width, box.height, "line l0", rx=corner, stroke_width=wide)
    own = colours.colour(node.style)
    if node.is_leaf and own >= 0:
        canvas.rect(box.x, box.y, box.width, box.height, f"f{own}", opacity=0.13, rx=corner)
    inner = box.width - 2 * _PAD + 1  # what was measured fits, whatever rounding does
    if is_down:
        middle = box.x + box.width / 2
        canvas.text(middle, box.y + 17, node.label, "b", anchor="middle", room=inner)
        canvas.text(middle, box.y + 31, node.detail, "s", anchor="middle", room=inner)
        bar = (box.x + _PAD, box.y + 37, inner - 1, 7.0)
    else:
        canvas.text(box.x + _PAD, box.y + 14, node.label, "b", room=_LONGEST)
        room = inner - _line(node) - 8
        canvas.text(box.x + box.width - _PAD, box.y + 14, node.detail, "s", anchor="end", room=room)
        bar = (box.x + _PAD, box.y + 18.5, inner - 1, 5.0)
    if node.mean is None:
        draw_class_bar(canvas, bar, node.shares, colours)
    else:
        _mean_bar(canvas, bar, node, between)
    canvas.close()
    if node.link:
        canvas.close_link()
    if node.toggle:
        _toggle(canvas, node, box, is_down=is_down)


def _toggle(canvas: Canvas, node: TreeNode, box: _Placed, *, is_down: bool) -> None:
    """Draw the sign below a box, or at its right, that closes or opens what is below it."""
    x = box.x + box.width / 2 if is_down else box.x + box.width
    y = box.y + box.height if is_down else box.y + box.height / 2
    canvas.open_link(node.toggle, label=f"{'Close' if node.is_open else 'Open'} below {node.label}")
    canvas.circle(x, y, 8.5, "box")
    canvas.text(x, y + 4, "−" if node.is_open else "+", "b", anchor="middle")
    canvas.close_link()


def _mean_bar(
    canvas: Canvas, bar: tuple[float, float, float, float], node: TreeNode, between: tuple[float, float]
) -> None:
    """The mean as a point between the least and the greatest, a standard deviation to both sides as a line."""
    x, y, width, height = bar
    low, high = between
    span = high - low if high > low else 1.0
    mean = node.mean if node.mean is not None else low
    start, middle, end = (
        x + width * min(1.0, max(0.0, (value - low) / span))
        for value in (mean - node.deviation, mean, mean + node.deviation)
    )
    canvas.line(x, y + height / 2, x + width, y + height / 2, "hair", stroke_width=2)
    canvas.line(start, y + height / 2, end, y + height / 2, "l0", stroke_width=height * 0.5, opacity=0.5)
    canvas.circle(middle, y + height / 2, height * 0.62, "f0")
