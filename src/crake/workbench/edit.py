"""Editing: a tree changed by hand at one node, and saved as a model of its own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from crake.errors import CrakeError
from crake.files import check_writable
from crake.render.sentences import counted
from crake.workbench.calls import Script, call, printed, public
from crake.workbench.fitted import labelled_call, read_labelled
from crake.workbench.models import load_call, load_predictor
from crake.workbench.progress import SILENT, Progress
from crake.workbench.request import Request, argument, changed, options
from crake.workbench.table import MODEL, TABLE, TableRequest

if TYPE_CHECKING:
    from rich.text import Text

    from crake.table.table import Table

SCHEMA = "crake-edit/1"
NO_ESTIMATE = (
    "there is no estimate of an edited tree: cross-validation estimates the learner, which would grow another one; "
    "crake evaluate tests it on rows that it was not fitted on"
)


@dataclass(frozen=True)
class TreeEdit:
    """A node to make a leaf, or with a column to split; numbers up to `at`, or `levels`, then go left."""

    node: int
    column: str | None = None
    at: float | None = None
    levels: tuple[str, ...] = ()

    def check(self) -> None:
        """Raise an error for a place of a split without its column."""
        if self.column is None and (self.at is not None or self.levels):
            raise CrakeError("--at and --level say where to split a column; name it with --split")
        if self.at is not None and self.levels:
            raise CrakeError("--at cuts a number, --level sets values apart; give one of them")

    def applied(self, model: Any, table: Table | None) -> Any:
        """Return the edited model; a split needs `table`, with the rows that the model was fitted on."""
        check_tree(model)
        if self.column is None:
            return model.with_leaf(self.node)
        return model.with_split(self.node, self.column, table, at=self.at, levels=self.levels or None)

    def call(self) -> Any:
        """Return the call that edits in Python."""
        if self.column is None:
            return MODEL.then("with_leaf", self.node)
        made = MODEL.then("with_split", self.node, self.column, TABLE)
        return made.adding(at=self.at, levels=list(self.levels) or None)


@dataclass(frozen=True)
class EditRequest(Request):
    """A model file of a tree, the table it was fitted on, what to change, and the file to write.

    A leaf answers with the rows that its node has kept: the table is not read then, and need not be named.

    >>> EditRequest("m.crake", None, TreeEdit(3), "edited.crake").command_line()
    'crake edit m.crake --node 3 --output edited.crake'
    >>> EditRequest("m.crake", TableRequest("loans.csv"), TreeEdit(3, "age"), "edited.crake").command_line()
    'crake edit m.crake loans.csv --node 3 --split age --output edited.crake'
    """

    model: str
    table: TableRequest | None
    edit: TreeEdit
    output: str
    seed: int = 1

    command: ClassVar[str] = "edit"

    def check(self) -> None:
        """Raise an error for what does not fit together, or a file that cannot be written."""
        if self.table is not None:
            self.table.check()
        self.edit.check()
        if self.edit.column is not None and self.table is None:
            raise CrakeError(
                "expected TABLE beside --split: a split is grown from the rows that the model was fitted on"
            )
        if Path(self.output).resolve() == Path(self.model).resolve():
            raise CrakeError(f"--output {self.output} is the model itself, which stays as it is; name another file")
        check_writable(Path(self.output))

    def run(self, progress: Progress = SILENT) -> EditedTree:
        """Load the model, read the table, edit, save."""
        from crake.modelfile import save  # noqa: PLC0415 (numba and numpy only when there is work)

        self.check()
        model = load_predictor(self.model)
        check_tree(model)
        edited = self.edit.applied(model, self._rows(model, progress))
        save(edited, Path(self.output))
        return EditedTree(model, edited, self.output)

    def _rows(self, model: Any, progress: Progress) -> Table | None:
        """Return the table that a split is grown from; None for a leaf."""
        if self.edit.column is None or self.table is None:
            return None
        table = read_labelled(self.table, model, self.seed)
        progress.notes((*self.table.remembered(model), *table.notes))
        return table

    def words(self) -> list[str]:
        """Return the arguments and options of the command line."""
        edit = self.edit
        more = options(node=str(edit.node), split=edit.column, at=edit.at, level=edit.levels, output=self.output)
        if edit.column is None or self.table is None:
            return [argument(self.model), *more]
        seed = changed(self.seed, 1) if self.table.sample is None else self.seed
        return [argument(self.model), *self.table.words(), *more, *options(seed=seed)]

    def python(self) -> str:
        """Return the lines that edit in Python; the model is loaded to know its target."""
        model = load_predictor(self.model)
        lines: list[tuple[str, Any]] = [("model", load_call(self.model))]
        if self.edit.column is not None and self.table is not None:
            lines.append(("table", labelled_call(self.table, model, self.seed)))
        lines.append(("model", self.edit.call()))
        lines.append(("", call(public("save"), MODEL, self.output)))
        return str(Script((*lines, ("", printed(MODEL)))))


@dataclass(frozen=True, eq=False)
class EditedTree:
    """A tree before and after an edit, and the file of the second."""

    before: Any
    after: Any
    file: str

    def sentence(self) -> str:
        """Return what was done, and the number of leaves."""
        size = f"{counted(self.after.n_leaves_, 'leaf', 'leaves')}, {self.before.n_leaves_} before"
        return f"{self.after.edits_[-1]} ({size})"

    def lines(self) -> list[str]:
        """Return the edit, the errors on training rows, and what they are worth."""
        own = [f"{name}: {_own_error(model)}" for name, model in (("before", self.before), ("after", self.after))]
        learned = f"on the rows that it was grown from, which says little about others: {', '.join(own)}"
        return [self.sentence(), learned, NO_ESTIMATE]

    def text(self, width: int) -> Text:
        """Return the edit for a terminal, then the tree."""
        from rich.text import Text  # noqa: PLC0415 (not needed for --json)

        del width
        return Text("\n".join([*self.lines(), "", str(self.after)]))

    def to_dict(self) -> dict[str, Any]:
        """Return the document of the schema "crake-edit/1"."""
        return {
            "schema": SCHEMA,
            "file": self.file,
            "edits": [edit.to_dict() for edit in self.after.edits_],
            "leaves": {"before": self.before.n_leaves_, "after": self.after.n_leaves_},
            "training_error": {"before": training_error(self.before), "after": training_error(self.after)},
            "estimate": None,
            "text": str(self.after),
        }

    def page(self) -> str:
        """Return one HTML page, with the tree drawn."""
        from markupsafe import Markup, escape  # noqa: PLC0415 (only for a page)

        from crake.render.page import filled_page  # noqa: PLC0415

        fragments = [Markup("<p>{}</p>").format(escape(line)) for line in self.lines()]
        fragments.append(Markup(self.after._repr_html_()))  # noqa: S704 (every name in it is escaped where it is made)
        return filled_page(Path(self.file).name, "workings.html.jinja", {"fragments": fragments})


def check_tree(model: Any) -> None:
    """Raise an error for a model that is no tree to edit."""
    if not hasattr(model, "with_leaf"):
        raise CrakeError(f"a {type(model).__name__} is no tree that can be edited; expected C4.5, CART, ID3, CHAID …")


def training_error(model: Any) -> float:
    """Return the share of wrong training rows of a tree; of a regression tree the mean squared error there."""
    from crake.kernels.tree.arrays import LEAF  # noqa: PLC0415 (numba and numpy only when there is work)

    tree = model.tree_
    leaves = tree.kind == LEAF
    total = float(tree.counts[leaves].sum())
    if len(tree.responses):
        return float(tree.responses[leaves, 1].sum()) / total
    wrong = tree.counts[leaves].sum() - tree.counts[leaves].max(axis=1).sum()
    return float(wrong) / total


def _own_error(model: Any) -> str:
    error = training_error(model)
    return f"mean squared error {error:.4g}" if len(model.tree_.responses) else f"{100 * error:.1f} % wrong"
