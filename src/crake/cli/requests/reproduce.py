"""The lines that give a result again: the command line, and the same in Python."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from crake.cli.options import MAX_MEMORY, MAX_SECONDS, BadRows, names
from crake.cli.requests.table import Reading

DEFAULT_PLAN = "cv10"


@dataclass(frozen=True)
class Run:
    """What a comparison was asked for."""

    reading: Reading
    plan: str = DEFAULT_PLAN
    learners: tuple[str, ...] = ()
    positive: str | None = None
    seed: int = 1
    cost: Path | None = None
    test: str | None = None

    def command_line(self) -> str:
        """For a shell.

        >>> Run(Reading("my data.csv", "y", ignore=["id,name"]), learners=("1r",)).command_line()
        "crake compare 'my data.csv' --target y --ignore id --ignore name --plan cv10 --learner 1r --seed 1"
        """
        learners = [word for name in self.learners for word in ("--learner", name)]
        how = ["--plan", self.plan] if self.test is None else ["--test", self.test]
        words = ["crake", "compare", *reading_arguments(self.reading), *how, *learners]
        return shlex.join([*words, *given(positive=self.positive, cost=self.cost), "--seed", str(self.seed)])

    def python(self, plan: object, positive: object) -> str:
        """For Python; `plan` and `positive` are what the names stand for, as Python writes them.

        >>> print(Run(Reading("golf"), learners=("1r",)).python(None, None))
        import crake
        table = crake.read("golf")
        print(crake.compare(table, learners=["1r"], random_state=1))
        """
        learners = [f"learners={_quoted(list(self.learners))}"] if self.learners else []
        drawn = f"random_state={self.seed}" if self.plan == DEFAULT_PLAN else f"plan=crake.{plan!r}"
        chosen = [f"positive={positive!r}"] if positive is not None else []
        paid = [f"cost={_quoted(str(self.cost))}"] if self.cost is not None else []
        call = ", ".join(["table", *learners, "test=test" if self.test is not None else drawn, *chosen, *paid])
        return f"{tables_read(self.reading, self.test)}\nprint(crake.compare({call}))"


def given(**options: object) -> list[str]:
    """The words of those options that were given.

    >>> given(positive=None, cost="costs.csv")
    ['--cost', 'costs.csv']
    """
    return [word for name, value in options.items() if value is not None for word in (f"--{name}", str(value))]


def tables_read(reading: Reading, test: str | None = None) -> str:
    """The lines of Python that read the table and, where there is one, the test table as the first was read."""
    table = f"table = {read_call(reading)}"
    if test is None:
        return f"import crake\n{table}"
    columns = "target=table.schema.target, expected=Expected.of(table.schema, target=table.schema.target)"
    read = f"{read_call(reading_of_test(reading, test)).removesuffix(')')}, {columns})"
    return f"import crake\nfrom crake.table.column_options import Expected\n{table}\ntest = {read}"


def reading_of_test(reading: Reading, source: str, target: str | None = None) -> Reading:
    """Another table of the same kind of file; what was said about columns is told by those of the first."""
    same = replace(reading, source=source, target=target, nominal=None, numeric=None, text=None, ignore=None)
    return replace(same, table_name=None, query=None, sample=None)


def reading_arguments(reading: Reading) -> list[str]:
    """The table and every option about it that was given."""
    lists = {option: requoted(names(given)) for option, given in _columns(reading).items()}
    lists["missing"] = list(reading.missing or ())
    single = {"table": reading.table_name, "query": reading.query, "target": reading.target}
    single |= {"delimiter": reading.delimiter, "encoding": reading.encoding}
    words = [reading.source if not reading.source.startswith("-") or reading.source == "-" else f"./{reading.source}"]
    words += [word for option, value in single.items() if value is not None for word in (f"--{option}", value)]
    words += [word for option, values in lists.items() for value in values for word in (f"--{option}", value)]
    words += ["--bad-rows", reading.bad_rows.value] if reading.bad_rows is not BadRows.ERROR else []
    words += [] if reading.decimal == "." else ["--decimal", reading.decimal]
    words += [] if reading.sample is None else ["--sample", str(reading.sample)]
    return words + _limits(reading)


def _limits(reading: Reading) -> list[str]:
    words = [] if reading.max_bytes is None else ["--max-bytes", str(reading.max_bytes)]
    if not reading.untrusted:
        return words
    words += ["--untrusted"]
    words += [] if reading.max_memory == MAX_MEMORY else ["--max-memory", str(reading.max_memory)]
    return words + ([] if reading.max_seconds == MAX_SECONDS else ["--max-seconds", f"{reading.max_seconds:g}"])


def _columns(reading: Reading) -> dict[str, list[str] | None]:
    return {
        "nominal": reading.nominal,
        "numeric": reading.numeric,
        "text": reading.text,
        "ignore": reading.ignore,
    }


def requoted(columns: Sequence[str]) -> list[str]:
    """Names with a comma in double quotes, as the option takes them."""
    return ['"' + name.replace('"', '""') + '"' if {",", '"'} & set(name) else name for name in columns]


def read_call(reading: Reading) -> str:
    """The call that reads the table in Python."""
    given = {
        "target": reading.target,
        "table": reading.table_name,
        "query": reading.query,
        **{option: list(names(columns)) or None for option, columns in _columns(reading).items()},
        "missing": reading.missing or None,
        "delimiter": reading.delimiter,
        "encoding": reading.encoding,
        "decimal": None if reading.decimal == "." else reading.decimal,
        "bad_rows": reading.bad_rows.value if reading.bad_rows is not BadRows.ERROR else None,
        "max_bytes": reading.max_bytes,
    }
    options = [f"{option}={_quoted(value)}" for option, value in given.items() if value is not None]
    options += ["untrusted=True"] if reading.untrusted else []
    sample = "" if reading.sample is None else f".sample({reading.sample}, random_state={reading.seed})"
    return f"crake.read({', '.join([_quoted(reading.source), *options])}){sample}"


def _quoted(value: object) -> str:
    """A string or a list of strings as Python writes it, in double quotes."""
    return json.dumps(value, ensure_ascii=False)
