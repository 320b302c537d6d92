"""Elements of PMML: their attributes as text, the fields of a model, and names that no other field has."""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.etree import ElementTree as ET

import numpy as np

from crake.errors import CrakeError
from crake.export.exported import Exported
from crake.table.schema import Column, Kind, Label

NAMESPACE = "http://www.dmg.org/PMML-4_4"
NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot hold."""
Element = ET.Element


def element(kind: str, *children: Element | None, **attributes: object) -> Element:
    """Return an element; attributes that are None are left out, and so are children."""
    own = ET.Element(kind, {key.rstrip("_"): text(value) for key, value in attributes.items() if value is not None})
    own.extend(child for child in children if child is not None)
    return own


def text(value: object) -> str:
    """Return the text of an attribute: numbers with all their digits.

    >>> text(0.1), text(True), text("a"), text(3)
    ('0.1', 'True', 'a', '3')
    """
    if isinstance(value, float | np.floating):
        if not np.isfinite(value):
            raise CrakeError(f"expected finite numbers for PMML, got {value}: take a learner that smooths its counts")
        return repr(float(value))
    own = str(value)
    if odd := NOT_XML.search(own):
        raise CrakeError(f"{own!r} has the character {odd[0]!r}, which XML cannot hold; rename it")
    return own


class Fields:
    """The fields of a document: the columns that the model reads, its target, and names that are free."""

    def __init__(self, model: Exported) -> None:
        self.model = model
        self.columns = [model.schema.features[at] for at in model.features]
        self.target = model.schema.target or "target"
        self.taken = {column.name for column in self.columns} | {self.target}

    def column(self, feature: int) -> Column:
        """Return a column of the model's table."""
        return self.model.schema.features[feature]

    def free(self, name: str) -> str:
        """Return a name that no field has, and take it."""
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name

    def dictionary(self) -> Element:
        """Return the fields with their types and values."""
        for column in self.columns:
            texts = [str(level) for level in column.levels]
            if len(set(texts)) < len(texts):
                raise CrakeError(f"column {column.name!r} cannot be exported to PMML: two of its levels have one text")
        own = [_data_field(column.name, column.levels, is_name=column.kind is Kind.NOMINAL) for column in self.columns]
        target = _data_field(self.target, self.model.classes, is_name=bool(self.model.classes))
        return element("DataDictionary", *own, target, numberOfFields=len(own) + 1)

    def schema(self, *more: str, has_target: bool = True, unseen: str = "asIs") -> Element:
        """Return the fields that a model reads; `more` are results of earlier models, `unseen` is about new values."""
        own = [element("MiningField", name=column.name, invalidValueTreatment=unseen) for column in self.columns]
        own += [element("MiningField", name=name) for name in more]
        target = element("MiningField", name=self.target, usageType="target") if has_target else None
        return element("MiningSchema", target, *own)

    def output(self) -> Element:
        """Return the results: the prediction, and of classes their probabilities."""
        kind = label_type(self.model.classes) if self.model.classes else "double"
        optype = "categorical" if self.model.classes else "continuous"
        name = self.free(f"predicted {self.target}")
        own = [element("OutputField", name=name, optype=optype, dataType=kind, feature="predictedValue")]
        for label in self.model.classes:
            name = self.free(f"P({label})")
            share = {"feature": "probability", "value": label}
            own.append(element("OutputField", name=name, optype="continuous", dataType="double", **share))
        return element("Output", *own)


def label_type(labels: Iterable[Label]) -> str:
    """Return the type of labels: whole numbers stay numbers, others are text."""
    return "integer" if all(type(label) is int for label in labels) else "string"


def _data_field(name: str, levels: tuple[Label, ...], *, is_name: bool) -> Element:
    if not is_name:
        return element("DataField", name=name, optype="continuous", dataType="double")
    own = [element("Value", value=level) for level in levels]
    return element(
        "DataField", *own, name=name, optype="categorical", dataType=label_type(levels) if levels else "string"
    )


def document(title: str, dictionary: Element, model: Element) -> str:
    """Return the text of a document of one model."""
    head = element("Header", element("Application", name="crake"), description=title)
    root = element("PMML", head, dictionary, model, xmlns=NAMESPACE, version="4.4")
    ET.indent(root)
    written = ET.tostring(root, encoding="unicode").replace("\r", "&#13;")  # readers take it for the end of a line
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{written}\n'
