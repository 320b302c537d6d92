"""The words of a language in which models are written as code."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from crake.arrays import Floats


class Syntax(ABC):
    """The words of a language."""

    end = ";"
    comment = "//"

    @abstractmethod
    def number(self, value: float) -> str:
        """Write a number with all its digits."""

    @abstractmethod
    def table(self, name: str, lines: Floats) -> str:
        """Write a constant table of numbers."""

    @abstractmethod
    def whole_numbers(self, name: str, values: Sequence[int]) -> str:
        """Write a constant list of whole numbers."""

    @abstractmethod
    def array(self, name: str, size: int) -> str:
        """Write a new list of zeros."""

    @abstractmethod
    def procedure(self, name: str, body: Sequence[str]) -> str:
        """Write a procedure of a row and the numbers that it adds to."""

    @abstractmethod
    def question(self, name: str, body: Sequence[str]) -> str:
        """Write a function of a row and forced branches that returns a leaf, or −1 less a node that divides the row."""

    @abstractmethod
    def whole(self, name: str, value: str, *, is_new: bool = True) -> str:
        """Write a variable that holds a whole number."""

    def whole_number(self, cell: str) -> str:
        """Write the whole number that a cell of names holds."""
        return cell

    @abstractmethod
    def real(self, name: str, value: str, *, is_new: bool = True) -> str:
        """Write a variable that holds a number."""

    @abstractmethod
    def choice(self, condition: str, yes: str, no: str) -> str:
        """Write one of two values."""

    @abstractmethod
    def branches(self, cases: Sequence[tuple[str, Sequence[str]]]) -> list[str]:
        """Write lines for the first condition that holds; "" holds always."""

    def condition(self, text: str) -> str:
        """Return a condition, which has && and ||."""
        return text

    def call(self, name: str, *arguments: object) -> str:
        """Write a call as a statement."""
        return f"{name}({', '.join(map(str, arguments))}){self.end}"
