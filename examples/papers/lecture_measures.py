"""Every worked example of Ustalov's lecture "Evaluation in Natural Language Processing" (ESSLLI 2022), recomputed.

Each number of the slides stands beside the one computed here; where a slide slips, the note says how.
"""

import warnings

import numpy as np

import bayesf1 as bf
from bayesf1 import measures as ms


def table(*rows: tuple[str, ...]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [rows[0], tuple("─" * width for width in widths), *rows[1:]]
    return "\n".join(
        "  ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def show(title: str, rows: list[tuple[str, str, float, str]]) -> None:
    cells = [(name, slide, f"{value:.6f}", note) for name, slide, value, note in rows]
    print(f"\n{title}\n\n{table(('measure', 'slide', 'here', 'note'), *cells)}")


def classification() -> None:
    # Everything is tagged NN, and 90 of 100 words are nouns.
    ev = bf.from_counts(tagger=(90, 10, 0, 0))
    slides = {
        "accuracy": "90 %",
        "precision": "90 %",
        "recall": "100 %",
        "f1": "95 %",
        "fowlkes_mallows": "95 %",
        "mcc": "0",
        "sba": "0.5",
    }
    notes = {"mcc": "0/0 in the formula: 0 by convention"}
    rows = [
        (name, slide, bf.score(ev, "tagger", name), notes.get(name, "")) for name, slide in slides.items()
    ]
    show("A part-of-speech tagger that knows one tag", rows)


def clustering() -> None:
    gold = [
        {"bank": 1},
        {"riverbank": 1, "streambank": 1, "streamside": 1},
        {"building": 1, "bank building": 1},
    ]
    predicted = [
        {"bank": 0.5, "riverbank": 1, "streambank": 1, "streamside": 1},
        {"bank": 0.5, "building": 1, "bank building": 1},
    ]
    found = ms.soft_purity_scores(gold, predicted)
    show(
        "Soft clusters of word senses",
        [
            (
                "nmPU",
                "0.833",
                found.purity,
                "the slide's formula divides by |C| = 2, its number by the weight, 6",
            ),
            ("niPU", "1.000", found.inverse_purity, "likewise"),
            ("F1", "0.909", found.f1, ""),
        ],
    )
    overlapping = ms.soft_pair_scores(gold, predicted)
    show(
        "The same clusters by pairs of words, each pair counted once",
        [
            ("pairwise precision", "", overlapping.precision, "clusters may overlap"),
            ("pairwise recall", "", overlapping.recall, ""),
            ("pairwise F1", "", overlapping.f1, ""),
        ],
    )
    # The same senses as a partition: bank goes where the first predicted cluster has it.
    hard_gold, hard_predicted = [0, 1, 1, 1, 2, 2], [0, 0, 0, 0, 1, 1]
    pairs, purity = ms.pair_scores(hard_gold, hard_predicted), ms.purity_scores(hard_gold, hard_predicted)
    show(
        "The same as a partition, by the slides' other formulas",
        [
            ("pairwise precision", "", pairs.precision, f"{pairs.tp} of {pairs.tp + pairs.fp} pairs"),
            ("pairwise recall", "", pairs.recall, ""),
            ("pairwise F1", "", pairs.f1, ""),
            ("purity", "", purity.purity, "the slide divides by |C|, which would give 2.5"),
            ("inverse purity", "", purity.inverse_purity, "likewise"),
            ("F1", "", purity.f1, ""),
        ],
    )


def ranked() -> None:
    grades = np.array([0, 0, 2, 0, 3, 0, 1, 0, 0, 1])
    scores = np.arange(10.0, 0.0, -1.0)
    show(
        "A ranked list of ten documents with grades 0 0 2 0 3 0 1 0 0 1",
        [
            ("ERR", "0.237", ms.err(grades, max_grade=3), "no slip: (2^g − 1)/2^3 is as published"),
            (
                "pFound",
                "",
                ms.pfound(ms.grade_probability(grades, 3)),
                "pBreak 0.15, the same probabilities",
            ),
            ("Pr@5", "", ms.precision_at_k(grades, 5), "the slide's formula lacks 1/k and would give 2"),
            ("AP", "", ms.average_precision(grades), ""),
            (
                "reciprocal rank",
                "",
                ms.reciprocal_rank(grades),
                "MRR is the mean reciprocal rank, not the mean rank",
            ),
            ("CG", "", ms.cg(grades), ""),
            ("DCG, log2 i", "", ms.dcg(grades, log="i"), "the slide's, and the original form"),
            ("DCG, log2 (i+1)", "", ms.dcg(grades), "what trec_eval and scikit-learn compute"),
            ("NDCG, log2 i", "", ms.ndcg(grades, log="i"), ""),
            ("NDCG, log2 (i+1)", "", ms.ndcg(grades), ""),
            ("ROC-AUC", "", ms.roc_auc(grades > 0, scores), "below 1/2: worse than chance"),
        ],
    )
    curve = ms.pr_curve(grades > 0, scores, interpolated=True, n_points=11, rng=2022)
    print("\nIts 11-point interpolated precision-recall curve, with a 95 % band by the Bayesian bootstrap:\n")
    columns = zip(curve.x, curve.y, curve.low, curve.high, strict=True)
    points = ((f"{x:.1f}", f"{y:.3f}", f"[{low:.3f}, {high:.3f}]") for x, y, low, high in columns)
    print(table(("recall", "precision", "95 % band"), *points))
    print(f"\n{curve!r}: ten documents say little.")


def agreement() -> None:
    noun, verb = "NN", "VBP"
    workers = [
        [noun, noun, verb, verb],
        [None, verb, verb, noun],
        [noun, verb, verb, noun],
        [noun, noun, noun, verb],
    ]
    met = ms.coincidence_matrix(workers)
    show(
        "Four workers tag four words",
        [
            ("raw agreement", "51.1 %", np.trace(met) / met.to_numpy().sum(), ""),
            ("O[NN, NN]", "4.33", met.iloc[0, 0], ""),
            ("O[NN, VBP]", "3.67", met.iloc[0, 1], ""),
            ("O[VBP, VBP]", "3.33", met.iloc[1, 1], ""),
            ("n", "15", met.to_numpy().sum(), ""),
            (
                "alpha",
                "0.083",
                ms.krippendorff_alpha(workers),
                "1/12; the slide says 0 ≤ alpha, but it can be below",
            ),
        ],
    )
    with warnings.catch_warnings():
        # That four units are few is what is to be shown.
        warnings.simplefilter("ignore")
        belief = ms.alpha_posterior(workers, rng=2022)
    low, high = belief.interval(0.95)
    print(
        f"\nWith four words, alpha may lie anywhere in [{low:.2f}, {high:.2f}] (95 %, bootstrap over words)."
    )


def main() -> None:
    classification()
    clustering()
    ranked()
    agreement()


if __name__ == "__main__":
    main()
