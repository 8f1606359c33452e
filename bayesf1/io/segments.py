"""Translations and transcripts: one segment a line, scored against references by what sacrebleu or jiwer counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bayesf1.base.input_files import InputFile
from bayesf1.base.naming import listing, nearest
from bayesf1.evaluation import Evaluation
from bayesf1.io.formats import Format, Request
from bayesf1.io.saved import corpus_measures
from bayesf1.io.scores import from_statistics
from bayesf1.io.tables import is_arrow, is_json

# By the name of a metric its function in `bayesf1.measures`.
_METRICS = {"bleu": "corpus_bleu", "chrf": "chrf", "ter": "ter", "wer": "wer", "cer": "wer"}


def _segments(file: InputFile) -> list[str]:
    return file.text().removesuffix("\n").split("\n")


def _counts(name: str, said: Sequence[str], gold: Sequence[str]) -> Any:
    """Return the counts of each segment, as the metric's own package has them."""
    try:
        if name in ("wer", "cer"):
            import jiwer

            count = jiwer.process_words if name == "wer" else jiwer.process_characters
            found = [count(right, own) for right, own in zip(gold, said, strict=True)]
            return [(own.hits, own.substitutions, own.deletions, own.insertions) for own in found]
        from sacrebleu import metrics

        return getattr(metrics, name.upper())()._extract_corpus_statistics(said, [gold])
    except ImportError as error:
        raise ValueError(f"{name} is counted by {error.name}; pip install 'bayesf1[translation]'") from None


def _read(request: Request) -> Evaluation:
    models, name = request.named_models("a text"), str(request.options.get("measure", "")).lower()
    if name not in _METRICS:
        raise ValueError(f"texts are scored by one measure=, not {name!r}; {nearest(name, _METRICS)}")
    if request.alone is None:
        raise ValueError(f"{request.places[0]} is a model's; give the references, too, by gold_file=")
    gold = _segments(request.alone.file)
    if empty := [i for i, segment in enumerate(gold, 1) if not segment.strip()]:
        raise ValueError(f"{request.alone}, line {empty[0]}, is empty; drop that line in all files")
    sums = {}
    for model, place in models.items():
        said = _segments(place.file)
        if len(said) != len(gold):
            raise ValueError(
                f"{place} has {len(said):,} lines, but {request.alone} has {len(gold):,}; line by line they are the same "
                "segments"
            )
        sums[model] = _counts(name, said, gold)
    unit, label = request.options.get("unit", "segment"), "CER" if name == "cer" else ""
    return from_statistics(sums, corpus_measures()[_METRICS[name]], name=label, unit=unit)


def _holds_segments(file: InputFile, options: Mapping[str, Any]) -> bool:
    """Whether a text is to be scored as translations and transcripts are: of any lines, so that only the metric tells."""
    names = str(options.get("measure", "")).lower().split(",")
    return {*names} <= {*_METRICS} and bool(file.lines) and not (is_json(file) or is_arrow(file))


SEGMENTS = Format(
    "segments",
    f"a text with one segment a line, of a translation or transcript (measure= {listing(_METRICS)})",
    _holds_segments,
    ("measure", "unit"),
    _read,
    gold_file=True,
)
