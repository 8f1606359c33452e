"""
Two translation systems
=======================

By corpus BLEU and word error rate: measures of totals, not means over sentences.

Sentences and outputs are made up, so that the example needs no files, and n-grams are counted in a few lines; in your own
work sacrebleu and jiwer count them, as docs/statistics.md shows, and everything below the functions stays the same.
"""

from collections import Counter

import numpy as np

import bayesf1 as bf

WORDS = [
    "the",
    "a",
    "cat",
    "dog",
    "tree",
    "house",
    "on",
    "under",
    "sees",
    "likes",
    "old",
    "green",
    "runs",
    "sleeps",
    "quickly",
    "today",
]


def corpus() -> tuple[list[list[str]], dict[str, list[list[str]]], list[int]]:
    """Return references, outputs of two systems, and the document of each sentence; some documents are harder."""
    rng = np.random.default_rng(3)
    document = np.repeat(np.arange(30), 8)
    gold = [rng.choice(WORDS, rng.integers(6, 18)).tolist() for _ in document]
    hard = 0.02 + 0.3 * rng.beta(2, 6, 30)[document]

    def output(rate: float) -> list[list[str]]:
        """Words that are garbled or left out; each system finds other documents hard."""
        risk = rate * hard * rng.lognormal(0.0, 0.6, 30)[document]
        return [
            [str(rng.choice(WORDS)) if rng.random() < r else word for word in words if rng.random() > 0.2 * r]
            for words, r in zip(gold, risk, strict=True)
        ]

    return gold, {"old": output(1.4), "new": output(1.0)}, document.tolist()


def ngrams(words: list[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(words[i:] for i in range(n)), strict=False))


def bleu_row(said: list[str], gold: list[str]) -> list[int]:
    """Lengths, matching n-grams and all n-grams of a sentence, as sacrebleu orders them."""
    pairs = [(ngrams(said, n), ngrams(gold, n)) for n in range(1, 5)]
    return [len(said), len(gold), *((a & b).total() for a, b in pairs), *(a.total() for a, _ in pairs)]


def edit_row(said: list[str], gold: list[str]) -> list[int]:
    """Errors of a sentence, by the least number of edits, and its words."""
    row = list(range(len(said) + 1))
    for i, word in enumerate(gold, start=1):
        last, row = row, [i]
        for j, other in enumerate(said, start=1):
            row.append(min(last[j] + 1, row[-1] + 1, last[j - 1] + (word != other)))
    return [row[-1], len(gold)]


def error_rate(totals: np.ndarray) -> np.ndarray:
    return totals[..., 0] / totals[..., 1]


gold, outputs, document = corpus()
bleu = {m: [bleu_row(*pair) for pair in zip(said, gold, strict=True)] for m, said in outputs.items()}
edits = {m: [edit_row(*pair) for pair in zip(said, gold, strict=True)] for m, said in outputs.items()}

# %%
# Corpus BLEU, documents as units:

ev = bf.from_statistics(bleu, bf.measures.corpus_bleu, name="BLEU", groups=document)
res = bf.compare(ev, "old", "new", rope=0.5, rng=1)
print(res)

# %%

axes = bf.plot_difference(res)

# %%
# Sentences of one document are not independent trials; treated as such, they make the answer look more certain:

print(bf.compare(ev, "old", "new", assumption="paired", rng=1).sentence())

# %%
# Any function of totals will do:

ev = bf.from_statistics(edits, error_rate, name="WER", lower_is_better=True, groups=document)
print(bf.compare(ev, "old", "new", rng=1))
print(bf.randomization_test(ev, "old", "new", rng=1))
