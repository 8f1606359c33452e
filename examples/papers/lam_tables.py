"""Tables 3 to 6 of Lam (2023), every printed cell beside the exact one, and the credible interval beside both.

Coverage, expected length, overshoot and degeneracy of four 95 % intervals for F1 in three scenarios: the paper
simulates 1,000,000 replicates, here all tables are listed with their probabilities. Run::

    python examples/papers/lam_tables.py
"""

from __future__ import annotations

import bayesf1 as bf

NUMBERS = (25, 50, 100, 500, 1000, 5000)
METHODS = ("clopper_pearson", "wald", "wilson_direct", "wilson_indirect")
BAYES = "credible_equal_tailed"
# True proportions of true positives, false positives and false negatives.
SCENARIOS = {1: (0.4, 0.1, 0.1), 2: (0.64, 0.16, 0.16), 3: (0.16, 0.04, 0.64)}
TABLES = {3: "coverage", 4: "length", 5: "overshoot", 6: "degenerate"}
NAMES = {
    "coverage": "Coverage probabilities",
    "length": "Expected lengths",
    "overshoot": "Overshoot probabilities",
    "degenerate": "Degeneracy probabilities",
}

# Thousandths, by table and scenario: a row for each number of items, the methods in order.
NONE = ((0, 0, 0, 0),) * 5
PRINTED = {
    "coverage": {
        1: (
            (976, 905, 949, 952),
            (968, 925, 949, 952),
            (963, 941, 949, 949),
            (957, 948, 949, 950),
            (955, 949, 950, 950),
            (952, 950, 950, 950),
        ),
        2: (
            (971, 929, 953, 950),
            (965, 942, 945, 952),
            (962, 944, 949, 952),
            (955, 949, 950, 950),
            (954, 949, 950, 950),
            (952, 950, 950, 950),
        ),
        3: (
            (973, 903, 952, 954),
            (969, 930, 953, 947),
            (964, 941, 950, 951),
            (957, 948, 950, 950),
            (955, 949, 950, 950),
            (952, 949, 950, 950),
        ),
    },
    "length": {
        1: (
            (382, 343, 368, 328),
            (264, 243, 255, 238),
            (183, 172, 176, 170),
            (79, 77, 77, 77),
            (55, 54, 54, 54),
            (25, 24, 24, 24),
        ),
        2: (
            (296, 270, 285, 263),
            (205, 192, 198, 189),
            (143, 136, 138, 135),
            (62, 61, 61, 61),
            (44, 43, 43, 43),
            (19, 19, 19, 19),
        ),
        3: (
            (468, 447, 395, 414),
            (343, 327, 303, 312),
            (245, 234, 225, 228),
            (109, 106, 105, 105),
            (76, 75, 75, 75),
            (34, 34, 33, 33),
        ),
    },
    "overshoot": {
        1: ((0, 231, 0, 0), (0, 6, 0, 0), *NONE[:4]),
        2: ((0, 20, 0, 0), *NONE),
        3: ((0, 200, 0, 0), (0, 31, 0, 0), *NONE[:4]),
    },
    "degenerate": {1: ((0, 4, 0, 0), *NONE), 2: ((0, 0, 0, 0), *NONE), 3: ((0, 13, 0, 0), *NONE)},
}

# What the scanned text of the paper has instead of what is printed above.
READINGS = (
    "Table 3, scenario 1, n = 25, Clopper-Pearson: '926.0' is 0.976 upside down",
    "Table 3, scenario 1, n = 50, Clopper-Pearson: '896.0' is 0.968 upside down",
    'Table 3, scenario 3, n = 50, Clopper-Pearson: "696\'0" is 0.969 upside down',
    "Table 5, scenario 1, n = 50, Wald: '900.0' is 0.006 upside down",
    "Table 5, scenario 1, n = 50, Clopper-Pearson: '0000' is 0.000",
    "Tables 3 to 6, fourth row: 'n = 200' is 500, as the text says",
    "Tables 5 and 6, last row: 'n = 2000' is 5000, as the text says",
)


def explain(field: str, printed: float, exact: float) -> str:
    # Of a million replicates, a probability p has a standard error of sqrt(p(1-p)) thousandths.
    noise = 1e-3 * (exact * (1.0 - exact)) ** 0.5 if field != "length" else 1e-4
    if abs(printed - exact) <= 5e-4 + 3.0 * noise:
        return "noise of the paper's 1,000,000 replicates"
    return "not explained by simulation noise"


def main() -> None:
    curves = {
        scenario: bf.coverage_curve(NUMBERS, *p, methods=(*METHODS, BAYES))
        for scenario, p in SCENARIOS.items()
    }
    differences = []
    print("Lam (2023), Tables 3-6: printed | exact, * where the print is not the exact value rounded")
    for number, field in TABLES.items():
        print(f"\nTable {number}: {NAMES[field]}")
        for scenario, curve in curves.items():
            p11, p10, p01 = SCENARIOS[scenario]
            print(f"\n  Scenario {scenario}: p11 = {p11}, p10 = {p10}, p01 = {p01}, F1 = {curve.truth:.2f}")
            print(
                f"  {'n':>4}" + "".join(f"{label:>18}" for label in curve.labels[:-1]) + "   credible (exact)"
            )
            exact = getattr(curve, field)
            for j, n in enumerate(NUMBERS):
                line = f"  {n:>4}"
                for i in range(len(METHODS)):
                    old, new = PRINTED[field][scenario][j][i] / 1000, float(exact[i, j])
                    differs = round(new, 3) != old
                    line += f"   {old:.3f} | {new:.4f}{'*' if differs else ' '}"
                    if differs:
                        where = f"Table {number}, scenario {scenario}, n = {n}, {curve.labels[i]}"
                        differences.append((where, old, new, explain(field, old, new)))
                print(f"{line}   {exact[-1, j]:.4f}")
    cells = sum(len(row) for field in PRINTED.values() for rows in field.values() for row in rows)
    print(f"\n{cells} cells; where the print differs ({len(differences)})")
    for where, old, new, why in differences:
        print(f"  {where:50}  printed {old:.3f}  exact {new:.6f}  {why}")
    print("\nHow damaged text was read")
    for reading in READINGS:
        print(f"  {reading}")


if __name__ == "__main__":
    main()
