"""Column files with one token a line and its tags, for gold and each model, or both in one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

from bayesf1.base.errors import Argument, WordedError
from bayesf1.base.input_files import InputFile
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.reading.conll import align_conll, n_numbers_behind
from bayesf1.reading.format import Format, Place, Request, check_same_names, fields_of
from bayesf1.reading.spans import from_aligned

_TAG = frozenset("BIOESLUM")


def _is_tag(text: str) -> bool:
    """Whether a field reads as a tag of some scheme: O, or a prefix and a type."""
    prefix, dash, kind = text.partition("-")
    return bool(prefix) and prefix[0] in _TAG and len(prefix) <= 2 and (not dash or bool(kind))


def _holds_tags(file: InputFile, options: Mapping[str, Any]) -> bool:
    """Whether lines have the same few columns, one of which behind the token holds tags."""
    if options.keys() & {"correct", "scores"}:
        return False
    said = (line for line in file.lines if line.strip() and not line.startswith(("#", "-DOCSTART-")))
    rows = [fields_of(line) for line in islice(said, 1000)]
    if not rows:
        return False
    width = len(rows[0])
    alike = [row for row in rows if len(row) == width]
    if len(alike) < 0.9 * len(rows):
        return False
    tags = [i for i in range(1, width) if sum(_is_tag(row[i].strip()) for row in alike) > 0.9 * len(alike)]
    if "gold" not in options:
        return bool(tags)
    # Where a column is named, tags below a header make a table.
    return options["gold"] not in rows[0] and any(_is_tag(rows[0][i].strip()) for i in tags)


def _column(number: Any, name: str) -> int | None:
    """Return the index of a column that was counted from 1, or from -1 at the end."""
    if number is None:
        return None
    if isinstance(number, bool) or not isinstance(number, int) or number in (0, 1):
        raise WordedError(
            Argument(name), f" is {number!r}, but columns are counted from 1, the token's, or -1 for the last"
        )
    return number - 1 if number > 0 else number


def _read(request: Request) -> Evaluation:
    models, gold = request.models, request.alone
    options = dict(request.options)
    given = options.pop("gold_column", None), options.pop("predicted_column", None)
    if not models:
        # A file that stands alone has gold and predicted tags of one model.
        assert gold is not None
        models, gold = {"model": gold}, None
    if gold is not None and any(place.folder != gold.folder for place in models.values()):
        raise ValueError(f"{gold} and the models' are not all folders, or not all files; give one kind")
    if gold is not None and gold.folder:
        check_same_names(models, gold)
    remarks = () if gold is not None or any(given) else _doubts(models)
    aligned = align_conll(
        None if gold is None else _files(gold, gold),
        {name: _files(place, gold or next(iter(models.values()))) for name, place in models.items()},
        gold_column=_column(given[0], "gold_column"),
        predicted_column=_column(given[1], "predicted_column"),
    )
    return replace(from_aligned(aligned, **options), remarks=remarks)


def _doubts(models: Mapping[str, Place]) -> tuple[str, ...]:
    """Say in which files a third column has tags of the types of the last two: gold, or another system's."""
    found = []
    for place in models.values():
        file = next(iter(place.files.values()))
        third, gold, said = ([set[str]()] * 3 + _types(file))[-3:]
        if third and third <= gold | said:
            found.append(
                f"{file} has tags of the same types in more than two columns, of which the last two were taken for gold and "
                "predicted; gold_column and predicted_column name others."
            )
    return tuple(dict.fromkeys(found))


def _types(file: InputFile) -> list[set[str]]:
    """Return the types of spans in each column behind the token, but for numbers at the end."""
    said = (line for line in file.lines if line.strip() and not line.startswith(("#", "-DOCSTART-")))
    rows = [fields_of(line) for line in islice(said, 1000)]
    width = min(map(len, rows), default=1) - n_numbers_behind(file)
    return [{row[i].partition("-")[2] for row in rows if _is_tag(row[i])} - {""} for i in range(1, width)]


def _files(place: Place, order: Place) -> list[InputFile]:
    """Return the files of a place in the order of another's names."""
    return [place.files[name] for name in order.files] if place.folder else [place.file]


TAGS = Format(
    "tags",
    "a column file of tags (CoNLL: one token a line)",
    _holds_tags,
    ("scheme", "mode", "types", "by_type", "unit", "gold_column", "predicted_column"),
    _read,
    folder="*",
    gold_file=True,
)
