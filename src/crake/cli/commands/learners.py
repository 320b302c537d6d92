"""`crake learners`: the learners by the name that -l takes, and the parameters of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from crake.cli import options as o
from crake.cli.output import json_text, print_text, write_stdout

if TYPE_CHECKING:
    from rich.text import Text

    from crake.learners.catalogue import Listed, Parameter

NameArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="NAME",
        help="Show this learner with its parameters; without a name, list all.",
        show_default=False,
        autocompletion=o.learner_names,
    ),
]
HEADINGS = {"classifier": "Classifiers, for a target of classes", "regressor": "Regressors, for a numeric target"}


def learners(
    name: NameArgument = None,
    as_json: o.JsonOption = False,
    debug: o.DebugOption = False,  # noqa: ARG001 (seen by crake.cli.run, before a command is known)
) -> None:
    """List the learners by the name that --learner takes, or show the parameters of one with their defaults."""
    from crake.learners.catalogue import catalogue, listed  # noqa: PLC0415 (numpy is not needed for --help)

    every = catalogue() if name is None else listed(name)
    if as_json:
        write_stdout(json_text({"schema": "crake-learners/1", "learners": [each.to_dict() for each in every]}))
    elif name is None:
        print_text(lambda width: _list(every, width))
    else:
        print_text(lambda width: _shown(every, width))


def _list(every: Sequence[Listed], width: int) -> Text:
    """Return one line per learner, under the heading of its kind."""
    from rich.text import Text  # noqa: PLC0415 (not needed for --json)

    from crake.render.text.columns import paragraph  # noqa: PLC0415

    longest = max(len(each.name) for each in every)
    lines: list[Text] = []
    for kind, heading in HEADINGS.items():
        lines += [Text(heading, style="bold")]
        members = [each for each in every if each.kind == kind]
        lines += [paragraph(each.card.about, width, first=f"{each.name:<{longest}}  ") for each in members]
        lines += [Text()]
    return Text("\n").join(
        [
            *lines,
            Text("Parameters of one:  crake learners c4.5", style="dim"),
            Text("Compare some:       crake compare golf -l 1r,c4.5,naive-bayes", style="dim"),
        ]
    )


def _shown(every: Sequence[Listed], width: int) -> Text:
    """Return the learners of one name, each with its facts and parameters, and a command to try."""
    from rich.text import Text  # noqa: PLC0415 (not needed for --json)

    return Text("\n\n").join([*(_one(each, width) for each in every), Text(_example(every[0]), style="dim")])


def _one(learner: Listed, width: int) -> Text:
    from rich.text import Text  # noqa: PLC0415 (not needed for --json)

    from crake.render.text.columns import paragraph  # noqa: PLC0415

    head = paragraph(
        f"{learner.name}: {learner.card.title}, {learner.kind}, crake.{learner.class_name}", width, style="bold"
    )
    facts = learner.facts()
    longest = max(len(heading) for heading, _ in facts)
    lines = [head, paragraph(learner.card.about, width), Text()]
    lines += [paragraph(text, width, first=f"  {heading:<{longest}}  ") for heading, text in facts]
    parameters = learner.parameters()
    if parameters:
        lines += [Text(), Text("Parameters with their defaults (--set NAME=VALUE, null for None)", style="bold")]
    texts = [f"{each.name}={each.default_text}" for each in parameters]
    widest = max(map(len, texts), default=0)
    for text, parameter in zip(texts, parameters, strict=True):
        lines.append(paragraph(_about(parameter), width, first=f"  {text:<{widest}}  "))
    return Text("\n").join(lines)


def _about(parameter: Parameter) -> str:
    """Return what a parameter means, and the values that --tune tries."""
    if not parameter.tuned:
        return parameter.about
    from crake.learners.catalogue import setting_text  # noqa: PLC0415 (not for --help)

    return f"{parameter.about} [--tune: {', '.join(map(setting_text, parameter.tuned))}]"


def _example(learner: Listed) -> str:
    table, target = ("prices", "price") if learner.kind == "regressor" else ("loans", "default")
    return f"Train it: crake train {table}.csv -t {target} -l {learner.name} -o {table}.crake"
