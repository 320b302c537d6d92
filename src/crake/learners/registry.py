"""The registry of learners: the one list that the command line, model files and contract tests read.

A class is imported when it is looked up; titles and other facts stand on its card (`learners/base/card.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any, Literal

from crake.balance.names import SAMPLERS
from crake.errors import CrakeError, did_you_mean
from crake.learners.base.card import Shape, card_of, title_of

__all__ = [
    "CLASSIFIERS",
    "OTHERS",
    "REGRESSORS",
    "as_parameters",
    "by_name",
    "compared",
    "foreseen_seconds",
    "in_files",
    "is_baseline",
    "is_compared",
    "is_readable",
    "listed_name",
    "listed_names",
    "name_of",
    "names",
    "parameters_of",
    "regressor_names",
    "stored",
    "title_of",
    "too_slow",
]


class Classes(Mapping[str, Any]):
    """Classes by name. Each is imported from its place when it is looked up.

    A place is "module:class" below `crake.learners`, or the whole name of a module of another room.
    """

    def __init__(self, places: Mapping[str, str]) -> None:
        self.places = dict(places)

    def __getitem__(self, name: str) -> Any:
        module, _, class_name = self.places[name].partition(":")
        return getattr(import_module(module if module.startswith("crake.") else f"crake.learners.{module}"), class_name)

    def __contains__(self, name: object) -> bool:
        return name in self.places  # without importing anything

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)


CLASSIFIERS = Classes(
    {
        "majority": "majority.learner:MajorityClassifier",
        "1r": "one_rule.learner:OneRuleClassifier",
        "stump": "tree.algorithms.stump:DecisionStump",
        "id3": "tree.algorithms.id3:ID3Classifier",
        "c4.5": "tree.algorithms.c45:C45Classifier",
        "reptree": "tree.algorithms.rep:REPTreeClassifier",
        "cart": "tree.algorithms.cart:CARTClassifier",
        "chaid": "tree.chaid.learner:CHAIDClassifier",
        "c4.5rules": "rules.c45rules.learner:C45RulesClassifier",
        "part": "rules.part.learner:PARTClassifier",
        "ripper": "rules.ripper.learner:RIPPERClassifier",
        "prism": "rules.prism.learner:PrismClassifier",
        "naive-bayes": "naive_bayes.learner:NaiveBayesClassifier",
        "text-bayes": "naive_bayes.text_learner:TextBayesClassifier",
        "averaged-bayes": "naive_bayes.averaged.learner:AveragedNaiveBayesClassifier",
        "selective-bayes": "naive_bayes.selective.learner:SelectiveNaiveBayesClassifier",
        "tan": "semi_naive.tan.learner:TANClassifier",
        "aode": "semi_naive.aode.learner:AODEClassifier",
        "bayes-network": "bayes_network.learner:BayesNetworkClassifier",
        "nbtree": "bayes_tree.learner:NBTreeClassifier",
        "logistic": "logistic.learner:LogisticClassifier",
        "knn": "neighbors.classifier:NeighborsClassifier",
        "svm": "svm.learner:SVMClassifier",
        "bagging": "ensemble.bagging.learner:BaggingClassifier",
        "forest": "ensemble.forest.learner:ForestClassifier",
        "adaboost": "ensemble.adaboost.learner:AdaBoostClassifier",
        "boosted-trees": "ensemble.boosting.learner:BoostedTreesClassifier",
        "arbiter-tree": "ensemble.partition.arbiter:ArbiterTreeClassifier",
        "combiner-tree": "ensemble.partition.combiner:CombinerTreeClassifier",
    }
)
"""Classifiers by the name people type, in teaching order."""

REGRESSORS = Classes(
    {
        "mean": "mean.learner:MeanRegressor",
        "linear": "linear.learner:LinearRegressor",
        "knn": "neighbors.regressor:NeighborsRegressor",
        "cart": "tree.algorithms.cart_regressor:CARTRegressor",
        "reptree": "tree.algorithms.rep_regressor:REPTreeRegressor",
        "bagging": "ensemble.bagging.regressor:BaggingRegressor",
        "forest": "ensemble.forest.regressor:ForestRegressor",
        "adaboost": "ensemble.adaboost.regressor:AdaBoostRegressor",
        "boosted-trees": "ensemble.boosting.regressor:BoostedTreesRegressor",
    }
)
"""Regressors by the name people type. Where a classifier has the same name, the target decides between them."""

OTHERS = (
    "meta.balance.learner:Balanced",
    "meta.calibrate.learner:Calibrated",
    "discretize.discretizer:Discretizer",
    "meta.select.learner:Selected",
    "meta.select.regressor:SelectedRegressor",
    "meta.select.transformer:Select",
    "meta.tune.learner:Tuned",
    "meta.cutoff.learner:WithCutoff",
)
"""Wrappers and transformers: model files hold them, and the command line does not take them by name."""


NETWORKS = ("network.network:BayesNetwork",)
"""Models that are no estimators: model files hold them."""


def names() -> tuple[str, ...]:
    """Return the names of the classifiers, in teaching order."""
    return tuple(CLASSIFIERS)


def regressor_names() -> tuple[str, ...]:
    """Return the names of the regressors.

    >>> regressor_names()
    ('mean', 'linear', 'knn', 'cart', 'reptree', 'bagging', 'forest', 'adaboost', 'boosted-trees')
    """
    return tuple(REGRESSORS)


def by_name(name: str, *, numbers: bool = False) -> Any:
    """Return a new learner with its default parameters. With `numbers`, a regressor goes before a classifier.

    >>> by_name("naive-bayes"), by_name("linear")
    (NaiveBayesClassifier(), LinearRegressor())
    >>> by_name("knn"), by_name("knn", numbers=True)
    (NeighborsClassifier(), NeighborsRegressor())
    >>> by_name("Random-Forest"), by_name("k nearest neighbours")                     # as reports call them
    (ForestClassifier(), NeighborsClassifier())
    """
    for family in (REGRESSORS, CLASSIFIERS) if numbers else (CLASSIFIERS, REGRESSORS):
        if name.lower() in family:
            return family[name.lower()]()
    if (known := _of_title(name)) is not None and known != name.lower():
        return by_name(known, numbers=numbers)
    hint = did_you_mean(name.lower(), (*CLASSIFIERS, *REGRESSORS))
    raise CrakeError(f"there is no learner {name!r}.{hint} Learners: {listed_names()}")


def listed_name(name: str) -> str:
    """Return the name in lower case, or the name of the learner with this title; an unknown one stays as it is.

    >>> listed_name("C4.5"), listed_name("random-forest"), listed_name("foo")
    ('c4.5', 'forest', 'foo')
    """
    key = name.lower()
    return key if key in CLASSIFIERS or key in REGRESSORS else _of_title(name) or key


def _of_title(title: str) -> str | None:
    """Return the name of the learner that reports call so: random-forest is forest."""
    words = title.lower().replace("-", " ").replace("_", " ")
    for name, learner in (*CLASSIFIERS.items(), *REGRESSORS.items()):
        card = card_of(learner())
        if card is not None and card.title.lower() == words:
            return name
    return None


def name_of(learner: Any) -> str | None:
    """Return the name by which the command line knows a learner's class; None if it has none.

    >>> name_of(by_name("c4.5")), name_of(object())
    ('c4.5', None)
    """
    end = f":{type(learner).__name__}"
    every = (*CLASSIFIERS.places.items(), *REGRESSORS.places.items()) if card_of(learner) is not None else ()
    return next((name for name, place in every if place.endswith(end)), None)


def answers_of(learner: Any, classes: int) -> Literal["probabilities", "scores", "labels"]:
    """Return what a learner's shares of the classes are: probabilities, unless machines vote.

    One vote tells two classes apart and is a label. The votes of several machines rank rows, as scores do.

    >>> answers_of(by_name("naive-bayes"), 2), answers_of(by_name("svm").set_params(probability="votes"), 3)
    ('probabilities', 'scores')
    """
    if name_of(learner) != "svm" or learner.probability != "votes":
        return "probabilities"
    return "labels" if classes == 2 else "scores"


def listed_names() -> str:
    """Return all names as a list for an error message.

    >>> listed_names()
    'majority, 1r, ... combiner-tree; regressors: mean, linear, knn, cart, reptree, bagging, ... boosted-trees'
    """
    return f"{', '.join(names())}; regressors: {', '.join(regressor_names())}"


def compared(shape: Shape | int = 0, *, numbers: bool = False) -> tuple[str, ...]:
    """Return the names of the learners that are compared by default on a table of this shape, or of this many rows.

    They are classifiers, or with `numbers` regressors.
    """
    size = shape if isinstance(shape, Shape) else Shape(shape)
    family = REGRESSORS if numbers else CLASSIFIERS
    return tuple(
        name
        for name, make in family.items()
        if make.card.is_compared
        and size.rows >= make.card.fewest_rows
        and not make.card.left_out(size)
        and _finds_columns(make, size)
    )


def too_slow(shape: Shape | int, *, numbers: bool = False) -> tuple[str, ...]:
    """Return a note on each learner that a comparison of a table of this shape leaves out.

    >>> too_slow(20_000)
    ('SVM is left out, slow with 20,000 rows (more than 10,000): -l svm compares it',)
    """
    size = shape if isinstance(shape, Shape) else Shape(shape)
    family = REGRESSORS if numbers else CLASSIFIERS
    cards = {name: make.card for name, make in family.items()}
    blind = [make.card.title for make in family.values() if make.card.is_compared and not _finds_columns(make, size)]
    note = f"left out, as there is no column but running text: {', '.join(blind)}"
    return (note,) * bool(blind) + tuple(
        f"{card.title} is left out, slow with {card.left_out(size)}: -l {name} compares it"
        for name, card in cards.items()
        if card.is_compared and size.rows >= card.fewest_rows and card.left_out(size)
    )


def foreseen_seconds(names: Iterable[str], shape: Shape, *, numbers: bool = False) -> dict[str, float]:
    """Return the processor seconds that one fit is foreseen to take, by title, of learners that foresee them.

    >>> {title: round(seconds, 2) for title, seconds in foreseen_seconds(["c4.5", "forest"], Shape(5000, 2, 5)).items()}
    {'random forest': 0.13}
    """
    family = REGRESSORS if numbers else CLASSIFIERS
    cards = [family[name.lower()].card for name in names if name.lower() in family]
    return {card.title: card.foreseen_seconds(shape) for card in cards if card.seconds is not None}


def _finds_columns(make: Any, shape: Shape) -> bool:
    """Return True unless all columns are running text and the learner reads none."""
    only_text = shape.texts > 0 and shape.numbers == 0 and not shape.levels
    return not only_text or make.reads_text or not make.reads_columns


def stored() -> Classes:
    """Return the classes that a model file may name, and no others; each has `checked`, `state` and `restore`.

    >>> "C45Classifier" in stored(), "Pipeline" in stored()
    (True, False)
    """
    places = (*CLASSIFIERS.places.values(), *REGRESSORS.places.values(), *OTHERS)
    return Classes({place.partition(":")[2]: place for place in places})


def as_parameters() -> Classes:
    """Return the classes that a model file may name as a parameter of a learner: stored learners, and samplers.

    >>> "Undersample" in as_parameters(), "Undersample" in stored()
    (True, False)
    """
    samplers = {place.partition(":")[2]: f"crake.balance.{place}" for place in SAMPLERS.values()}
    return Classes({**stored().places, **samplers})


def in_files() -> Mapping[str, Any]:
    """Return the classes that a model file may hold: the stored learners, and models that are no estimators.

    >>> "BayesNetwork" in in_files(), "BayesNetwork" in stored()
    (True, False)
    """
    places = {place.partition(":")[2]: place for place in NETWORKS}
    return Classes({**stored().places, **places})


def parameters_of(model: Any) -> dict[str, Any]:
    """Return the parameters that a model file holds of a model."""
    own: dict[str, Any] = model.get_params(deep=False) if hasattr(model, "get_params") else model.parameters()
    return own


def is_baseline(learner: Any) -> bool:
    """Return True if other learners are measured against this one."""
    card = card_of(learner)
    return card is not None and card.is_baseline


def is_readable(learner: Any) -> bool:
    """Return True if a person can follow a prediction by reading the learner's model."""
    card = card_of(learner)
    return card is not None and card.is_readable


def is_compared(learner: Any) -> bool:
    """Return True if the learner is one that `compare` tries when no learners are named."""
    card = card_of(learner)
    return card is not None and card.is_compared
