"""Models: the learners in teaching order with their main parameters, the protocol, and one button that runs them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from crake.app.index import DONE
from crake.app.page import Screen
from crake.app.stored import check_learners
from crake.app.workbench import Workbench, fields_of, one, whole
from crake.balance.names import IN_WORDS
from crake.errors import CrakeError
from crake.learners.catalogue import Listed, Parameter, catalogue
from crake.metrics.measures import MEASURES
from crake.render.plain_text import shown
from crake.server.exchange import Request
from crake.table.table import Table
from crake.workbench.compare import CompareRequest
from crake.workbench.models import has_numeric_target
from crake.workbench.table import TableRequest

PLANS = (
    ("cv10", "10-fold cross-validation"),
    ("cv5", "5-fold cross-validation"),
    ("10xcv10", "10 folds, 10 times"),
    ("holdout", "one third held out"),
    ("grouped", "10 folds, equal rows in one"),
)
MOST_DATES = 3
"""Columns of dates by which rows can be ordered in time."""
MEASURES_TO_RANK = {
    "classifier": ("accuracy", "balanced_accuracy", "auc", "average_precision", "f1", "mcc", "log_loss", "brier"),
    "regressor": ("rmse", "mae", "r_squared"),
}
FIRST = ("majority", "1r", "c4.5", "naive-bayes", "logistic")
"""Learners that are ticked where nothing was run before."""
MOST_NAME, MOST_NAMED = 80, 5
"""Letters of a run's name, and learners in one that crake makes."""


async def models_screen(workbench: Workbench, request: Request) -> Screen:
    """Show the learners for the target of a table; what is chosen stands in the address."""
    entry = workbench.table_of(request)
    asked = workbench.tables.request(entry)
    table = await workbench.table(asked)
    kind = "regressor" if has_numeric_target(table) else "classifier"
    scores = _scores(workbench, entry.id)
    learners = [_learner(each, scores) for each in catalogue() if each.kind == kind]
    classes = await workbench.in_thread(lambda: workbench.tables.classes(asked))
    usual = [name for name in FIRST if name in {each["name"] for each in learners}] or ["mean", "linear", "cart"]
    fields = {name: [text] for name, text in request.query.items()}
    samplers = IN_WORDS if table.in_memory else {"weights": IN_WORDS["weights"]}  # alone it balances a scan
    balances = samplers if classes else {}
    plans = {**dict(PLANS), **_plans_in_time(table)}
    measures = {each.name: each.title for each in MEASURES if each.name in MEASURES_TO_RANK[kind]}
    fields["learner"] = request.query["learners"].split(",") if request.query.get("learners") else usual
    chosen = _asked(fields, asked)
    await workbench.in_thread(chosen.check)
    document = {
        "table": entry.id, "kind": kind, "learners": learners, "classes": classes, "plans": plans,
        "balances": balances, "measures": measures,
        "chosen": {"learners": list(chosen.learners), "plan": chosen.plan, "seed": chosen.seed,
                   "positive": chosen.positive, "balance": chosen.balance, "measure": chosen.measure,
                   "parameters": dict(chosen.parameters)},
    }  # fmt: skip
    return Screen(
        "models",
        "Choose learners, press Run",
        "workbench/models.html.jinja",
        document,
        {"plans": {chosen.plan: chosen.plan, **plans}, "target": table.schema.target, "fields": request.query},
        facts=workbench.facts_of_table(table, entry.id),
        shell=chosen.command_line(),
        python=chosen.python(table) if table.in_memory else "",
        table=entry.id,
    )


async def add_run(workbench: Workbench, request: Request) -> str:
    """Check the request of a form, add the run and let it wait for its turn; return the address of its results."""
    fields = await fields_of(request)
    entry = workbench.tables.entry(one(fields, "table"))
    asked = _asked(fields, workbench.tables.request(entry))
    table = await workbench.in_thread(lambda: workbench.tables.read(asked.table))
    await workbench.in_thread(asked.check)
    name = one(fields, "name")[:MOST_NAME] or _usual_name(asked.learners)
    return started(workbench, entry.id, name, asked, keeps_model=table.in_memory)


def _plans_in_time(table: Table) -> dict[str, str]:
    """Return the plans that learn from earlier rows and test later ones, by each column of dates."""
    dates = [column.name for column in table.schema.features if column.is_date]
    return {f"time:{name}": f"the past to learn from, by {shown(name, 30)}" for name in dates[:MOST_DATES]}


def _asked(fields: Mapping[str, list[str]], table: TableRequest) -> CompareRequest:
    """Return the comparison that the fields of a form, or an address, ask for."""
    asked = CompareRequest(
        table,
        plan=one(fields, "plan", "cv10"),
        learners=_named(fields),
        positive=one(fields, "positive") or None,
        seed=whole(one(fields, "seed", "1"), "seed"),
        parameters=_parameters(fields),
        balance=one(fields, "balance") or None,
        measure=one(fields, "measure") or None,
    )
    check_learners(asked.learners, asked.parameters)
    return asked


def _usual_name(learners: Sequence[str]) -> str:
    """Return the name of a run that was given none: its learners, or the first of many.

    >>> _usual_name(["c4.5", "svm"]), _usual_name(["c4.5", "svm"] * 9)
    ('c4.5, svm', 'c4.5, svm, c4.5 and 15 more')
    """
    if len(learners) <= MOST_NAMED:
        return ", ".join(learners)
    first = learners[: MOST_NAMED - 2]
    return f"{', '.join(first)} and {len(learners) - len(first)} more"


def started(workbench: Workbench, table: str, name: str, asked: CompareRequest, *, keeps_model: bool) -> str:
    """Add a run whose request was checked, and let it wait; return the address of its results."""
    run = workbench.project.index.add_run(table, name, asked.to_dict())
    save = workbench.project.model_file(run) if keeps_model else None
    whole_request = replace(asked, save=save).to_dict()
    workbench.project.prepare_run(run, whole_request)
    workbench.project.index.set_state(run, "waiting", request=whole_request)
    workbench.jobs.start(run)
    return f"/results/{run}"


def _named(fields: Mapping[str, list[str]]) -> tuple[str, ...]:
    names = tuple(fields.get("learner", ()))
    if not names:
        raise CrakeError("no learner is chosen; tick one at least")
    return names


def _parameters(fields: Mapping[str, list[str]]) -> dict[str, Any]:
    """Return the parameters of the learners that are ticked: JSON where a field holds JSON, text otherwise."""
    chosen = set(fields.get("learner", ()))
    parameters: dict[str, Any] = {}
    for name in fields:
        text = one(fields, name).strip() if name.startswith("set:") else ""
        if not text:
            continue
        key = name.removeprefix("set:")
        if any(key.startswith(f"{learner}.") for learner in chosen):
            parameters[key] = _value(text)
    return parameters


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _learner(each: Listed, scores: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    main = [parameter for parameter in each.parameters() if parameter.tuned]
    score = scores.get(each.card.title)
    return {
        "name": each.name,
        "title": each.card.title,
        "about": each.card.about,
        "parameters": [
            parameter.to_dict() | {"choices": list(parameter.choices), "shown": _shown(parameter)} for parameter in main
        ],
        "score": None if score is None else score[0],
        "run": None if score is None else score[1],
    }


def _shown(parameter: Parameter) -> str:
    """Return the default of a parameter as a field shows it."""
    return "none" if parameter.default is None else parameter.default_text


def _scores(workbench: Workbench, table: str) -> dict[str, tuple[str, str]]:
    """Return the latest score of each learner on this table, with its run."""
    scores: dict[str, tuple[str, str]] = {}
    for run in sorted(workbench.project.index.runs(), key=lambda run: run.created):
        if run.table_id != table or run.state != DONE:
            continue
        for entry in board_of(workbench.project.result(run.id) or {}):
            scores[entry["name"]] = (entry["score"], run.id)
    return scores


def board_of(result: Mapping[str, Any], by: str = "") -> list[dict[str, str]]:
    """Return the learners of a result with their main measure, or the one named, in the order of its leaderboard.

    >>> board_of({"measure": "auc", "learners": [{"learner": "1R", "measures": {"auc": {"value": 0.71049}}}]})
    [{'name': '1R', 'score': '0.710', 'measure': 'auc'}]
    >>> measures, ranked = {"auc": {"value": 0.71049}}, {"measure": "auc", "value": 0.72}
    >>> board_of({"measure": "auc", "learners": [{"learner": "1R", "measures": measures, "ranked_by": ranked}]})
    [{'name': '1R', 'score': '0.720', 'measure': 'auc'}]
    """
    entries, measure = [], by or result.get("measure", "")
    for each in result.get("learners", ()):
        # The AUC by which it was ranked is the mean of the folds, that of the measures is pooled.
        ranked = {} if by else each.get("ranked_by", {})
        value = (ranked if ranked.get("measure") == measure else each["measures"].get(measure, {})).get("value")
        text = "" if value is None else f"{value:.3f}" if abs(value) < 100 else f"{value:,.0f}"
        entries.append({"name": each["learner"], "score": text, "measure": measure})
    return entries
