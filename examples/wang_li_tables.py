"""Tables 2 to 5 of Wang & Li (2019): every published cell beside ours.

Theirs come from 10^6 draws, ours are exact. A star marks a cell whose print differs from the exact value.
"""

import bayesf1 as bf

# Task: measure: interval of A, interval of B (percent), P(H0), P(H1); as printed.
PUBLISHED = {
    "wang-li-cws": {
        "precision": ((95.55, 95.62), (95.60, 95.67), 0.024, 0.976),
        "recall": ((95.04, 95.11), (95.16, 95.23), 0.001, 0.999),
        "f1": ((95.30, 95.36), (95.39, 95.44), 0.001, 0.999),
    },
    "wang-li-ner": {
        "precision": ((90.59, 91.30), (90.70, 91.41), 0.321, 0.679),
        "recall": ((87.69, 88.48), (87.78, 88.57), 0.372, 0.628),
        "f1": ((89.21, 89.77), (89.32, 89.87), 0.300, 0.700),
    },
    "wang-li-org": {
        "precision": ((91.37, 92.86), (91.85, 93.31), 0.191, 0.809),
        "recall": ((64.89, 67.11), (64.45, 66.68), 0.706, 0.294),
        "f1": ((76.06, 77.74), (75.93, 77.61), 0.587, 0.413),
    },
}
NUMBER = {"wang-li-cws": 3, "wang-li-ner": 4, "wang-li-org": 5}


def cell(printed: float, ours: float, digits: int) -> tuple[str, bool]:
    differs = round(ours, digits) != printed
    return f"{printed:.{digits}f} / {ours:.{digits + 2}f}{'*' if differs else ' '}", differs


def main() -> None:
    starred = total = 0
    for name, rows in PUBLISHED.items():
        ev = bf.load_example(name)
        res = bf.compare(ev, metrics=list(rows))
        print(f"{name}: {ev.models[0]} (A) and {ev.models[1]} (B), Tables 2 and {NUMBER[name]}; printed / exact")
        for metric, (a, b, p_h0, p_h1) in rows.items():
            c = res[metric]
            ends = [*c.posterior_a.interval(0.95), *c.posterior_b.interval(0.95)]
            cells = [cell(p, 100 * x, 2) for p, x in zip((*a, *b), ends, strict=True)]
            cells += [cell(p_h0, c.p_h0, 3), cell(p_h1, c.p_h1, 3)]
            total, starred = total + len(cells), starred + sum(differs for _, differs in cells)
            print(f"  {c.label:<3} A [{cells[0][0]}, {cells[1][0]}]  B [{cells[2][0]}, {cells[3][0]}]")
            print(f"      P(H0) {cells[4][0]}  P(H1) {cells[5][0]}  {c.decision}")
        print()
    print(f"{total - starred} of {total} printed numbers are the exact ones, rounded. The others:")
    print("  CWS R, upper end of A: 95.12 was meant; NER P, lower end of B: 90.71 was meant.")
    print("  CWS R and F1: P(H0) is 1.5e-5 and 8.7e-6, printed as .001.")
    print("  NER and ORG, P and R: P(H0) and P(H1) are off by .001, the noise of 10^6 draws.")


if __name__ == "__main__":
    main()
