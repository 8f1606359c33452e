"""What other programs read to learn which conditions hold: JUnit's XML, and the annotations of GitHub's workflows."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import quoteattr

from bayesf1.base.answer import Answer
from bayesf1.base.table import printable


def junit(answers: Sequence[Answer]) -> str:
    """Return a report of tests in JUnit's XML, a suite for each answer and a case for each of its outcomes."""
    suites = []
    for answer in answers:
        cases = [
            f"    <testcase classname={_attribute(o.group)} name={_attribute(o.name)}>"
            + ("" if o.passed else f"\n      <failure message={_attribute(o.why)}/>\n    ")
            + (f"<system-out>{_attribute(o.why)[1:-1]}</system-out>" if o.passed else "")
            + "</testcase>"
            for o in answer.outcomes
        ]
        failures = sum(not o.passed for o in answer.outcomes)
        counted = f'tests="{len(cases)}" failures="{failures}" errors="0" skipped="0"'
        head = f"  <testsuite name={_attribute(answer.title)} {counted}>"
        suites.append("\n".join([head, *cases, "  </testsuite>"]))
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>", *suites, "</testsuites>"])


def _attribute(text: str) -> str:
    return quoteattr(printable(text), {'"': "&quot;"})


def github(answers: Sequence[Answer]) -> str:
    """Return a line for each outcome that GitHub's workflows show as a notice or as an error."""
    return "\n".join(
        f"::{'notice' if o.passed else 'error'} title={_escaped(o.name, ':,')}::{_escaped(o.why)}"
        for answer in answers
        for o in answer.outcomes
    )


def _escaped(text: str, more: str = "") -> str:
    return "".join(f"%{ord(c):02X}" if c in f"%\r\n{more}" else c for c in printable(text))
