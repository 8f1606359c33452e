"""Write the numbers that must stay, or check that they did.

``python tests/golden/make.py`` writes ``golden.json``; ``--check`` compares with it and prints what differs; ``--only ev/items``
asks some of the questions, ``--seed 7`` takes other draws, and ``--free`` also shows numbers that may change. Questions that
need a package that is not installed are skipped and named; the file is only written where all packages are.
"""

import argparse
import json
import math
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import cases  # noqa: E402

GOLDEN = HERE / "golden.json"


def rounded(value: Any, digits: int) -> Any:
    """Return a number to some significant digits; None for what is not finite."""
    if not isinstance(value, float):
        return value
    return float(f"{value:.{digits}g}") if math.isfinite(value) else None


class Answers(NamedTuple):
    """Entries by key; of questions without an answer, the error, or the package that they miss."""

    entries: dict[str, Any]
    errors: dict[str, str]
    skipped: dict[str, str]


def answers(only: str = "", seed: int | None = None, loud: bool = False) -> Answers:
    """Ask the questions whose keys begin so."""
    entries: dict[str, Any] = {}
    errors: dict[str, str] = {}
    skipped: dict[str, str] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        asked = cases.questions(only, seed)
    for key, ask in asked.items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                for name, entry in ask():
                    values = [rounded(v, 12 if entry.rule == "exact" else 7) for v in entry.values]
                    entries[f"{key}: {name}"] = [
                        entry.rule,
                        values,
                        *([rounded(entry.scale, 2)] if entry.scale else []),
                    ]
        except pytest.skip.Exception as reason:
            skipped[key] = str(reason)
            if loud:
                print(f"{key} was skipped: {reason}")
        except Exception as error:  # a question that fails is told, and the others are asked all the same
            errors[key] = f"{type(error).__name__}: {error}"
            if loud:
                print(f"{key}: {errors[key]}", file=sys.stderr)
    return Answers(entries, errors, skipped)


def written(found: dict[str, Any]) -> str:
    """Return entries as JSON, a question on a line."""
    by_question: dict[str, Any] = {}
    for key, entry in found.items():
        question, _, name = key.partition(": ")
        by_question.setdefault(question, {})[name] = entry
    lines = (f"{json.dumps(q)}:{json.dumps(e, separators=(',', ':'))}" for q, e in by_question.items())
    return "{" + ",\n".join(lines) + "}\n"


def kept() -> dict[str, Any]:
    """Return the entries of the file by key."""
    found = json.loads(GOLDEN.read_text(encoding="utf-8"))
    return {f"{question}: {name}": e for question, entries in found.items() for name, e in entries.items()}


def tolerance(old: list[Any], new: list[Any]) -> float:
    """Return by how much numbers may differ, beside 1e-9."""
    was, now = (entry[2] if len(entry) > 2 else 0.0 for entry in (old, new))
    if old[0] in ("pair", "draws"):
        return 4 * math.hypot(max(5e-4, was), min(0.004, now))
    return was


def differences(golden: dict[str, Any], found: dict[str, Any], free: bool = False) -> Iterator[str]:
    """Yield a line for every key whose numbers are not those of before."""
    for key, old in golden.items():
        if key not in found:
            yield f"{key}: was {old[1]}, is missing"
            continue
        new = found[key]
        if old[0] == "same" or len(old[1]) != len(new[1]):
            if old[1] != new[1]:
                yield f"{key}: was {old[1]}, is {new[1]}"
            continue
        if old[0] == "free" and not free:
            continue
        near = tolerance(old, new)
        for i, (a, b) in enumerate(zip(old[1], new[1], strict=True)):
            if a is not b if a is None or b is None else abs(a - b) > near + 1e-9 * max(1.0, abs(a)):
                yield f"{key}[{i}]: was {a}, is {b} ({old[0]}, tolerance {max(near, 1e-9):.2g})"


def main() -> int:
    """Write or check."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", nargs="?", type=Path, default=GOLDEN)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--free", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--seed", type=int)
    args = parser.parse_args()
    found = answers(args.only, args.seed, loud=True)
    if not args.check:
        if found.skipped:
            print(
                "nothing is written, as these questions have no numbers; pip install '.[test-all]'",
                file=sys.stderr,
            )
            return 1
        args.out.write_text(written(found.entries), encoding="utf-8")
        return 0
    golden = {key: entry for key, entry in kept().items() if key.startswith(args.only)}
    golden = {key: entry for key, entry in golden.items() if key.partition(": ")[0] not in found.skipped}
    # Without the files of other tools there is nothing to compare.
    if not cases.SAMPLES.is_dir():
        golden = {key: entry for key, entry in golden.items() if not key.startswith("file/samples/")}
    different = list(differences(golden, found.entries, args.free))
    print(*different, sep="\n")
    print(
        f"{len(golden)} entries, {len(different)} differences, {len(found.errors)} questions without an answer, "
        f"{len(found.skipped)} skipped"
    )
    return int(bool(different or found.errors))


if __name__ == "__main__":
    sys.exit(main())
