"""Tables 2 to 5 of Wang & Li (2019), every printed cell beside the exact one.

The three experiments of the paper come with the package: Chinese word segmentation (CWS), named entities (NER)
and organisations (ORG), each with two tag sets and six folds of 3×2 blocked cross-validation. Run::

    python examples/papers/wang_li_tables.py
"""

from __future__ import annotations

from typing import NamedTuple

import bayesf1 as bf

# Low and high of A and of B (Table 2, in percent), P(H0), P(H1), decision (Tables 3, 4, 5).
PRINTED = {
    "CWS": {
        "precision": (95.55, 95.62, 95.60, 95.67, 0.024, 0.976, "Accept H1"),
        "recall": (95.04, 95.11, 95.16, 95.23, 0.001, 0.999, "Accept H1"),
        "f1": (95.30, 95.36, 95.39, 95.44, 0.001, 0.999, "Accept H1"),
    },
    "NER": {
        "precision": (90.59, 91.30, 90.70, 91.41, 0.321, 0.679, "Accept H1"),
        "recall": (87.69, 88.48, 87.78, 88.57, 0.372, 0.628, "Accept H1"),
        "f1": (89.21, 89.77, 89.32, 89.87, 0.300, 0.700, "Accept H1"),
    },
    "ORG": {
        "precision": (91.37, 92.86, 91.85, 93.31, 0.191, 0.809, "Accept H1"),
        "recall": (64.89, 67.11, 64.45, 66.68, 0.706, 0.294, "Accept H0"),
        "f1": (76.06, 77.74, 75.93, 77.61, 0.587, 0.413, "Accept H0"),
    },
}
CELLS = ("A low", "A high", "B low", "B high", "P(H0)", "P(H1)")
DECIMALS = (2, 2, 2, 2, 3, 3)


class Difference(NamedTuple):
    """A cell whose print is not the exact value rounded."""

    where: str
    printed: float
    exact: float
    why: str


def reason(cell: str, exact: float) -> str:
    if not cell.startswith("P("):
        return "cut off instead of rounded"
    if min(exact, 1.0 - exact) < 5e-4:
        return "printed as a bound, as three decimals cannot tell it from certainty"
    return "noise of the paper's 1,000,000 draws"


def main() -> None:
    print("Wang & Li (2019), Tables 2-5: printed | exact, * where the print is not the exact value rounded")
    differences: list[Difference] = []
    for task, rows in PRINTED.items():
        ev = bf.load_example(f"wang-li-{task.lower()}")
        folds = ev.folds.counts
        # The paper rounds its discount to four digits.
        models = {model: folds[:, :, i] for i, model in enumerate(ev.models)}
        res = bf.compare(bf.from_folds(models, cv=bf.BlockedCV(m=3), discount=0.3688))
        print(f"\n{task}: A = {ev.models[0]}, B = {ev.models[1]}")
        print(f"{'':4}" + "".join(f"{cell:>18} " for cell in CELLS) + "  decision")
        for metric, (*printed, decision) in rows.items():
            test = res[metric]
            intervals = (*test.posterior_a.interval(0.95), *test.posterior_b.interval(0.95))
            exact = (*(100 * end for end in intervals), test.p_h0, test.p_h1)
            line = f"{test.label:4}"
            for cell, decimals, old, new in zip(CELLS, DECIMALS, printed, exact, strict=True):
                differs = round(new, decimals) != old
                line += f"{old:>7.{decimals}f} | {new:>8.{decimals + 2}f}{'*' if differs else ' '}"
                if differs:
                    where = f"{task} {test.label}, {cell}"
                    differences.append(Difference(where, old, new, reason(cell, new)))
            agrees = decision.lower() == test.decision.lower()
            print(f"{line}  {decision}{'' if agrees else f' | {test.decision} *'}")
    print("\nWhere the print differs")
    for d in differences:
        print(f"  {d.where:15}  printed {d.printed:<6g} exact {d.exact:<13.8g} {d.why}")


if __name__ == "__main__":
    main()
