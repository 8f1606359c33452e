"""
Few gold labels and a judge
===========================

From two models and a judge to a verdict, and the next 200 items to label.

Two spam filters, a language model as the judge, and 300 labels by hand among 20,000 messages; all generated here. Replace
`messages` by your own columns, with None where nobody has labelled an item.
"""

import numpy as np

import bayesf1 as bf


def messages(
    n: int = 20_000, labelled: int = 300
) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray], np.ndarray]:
    """Return the truth, the gold labels that are known, what two filters say, and what the judge says."""
    rng = np.random.default_rng(0)
    spam = rng.random(n) < 0.15
    hard = rng.random(n) < 0.2

    def said(missed: float, claimed: float) -> np.ndarray:
        error = np.where(spam, missed, claimed) * np.where(hard, 2.5, 0.6)
        return np.where(spam ^ (rng.random(n) < error), "spam", "ham")

    truth = np.where(spam, "spam", "ham")
    gold = truth.astype(object)
    gold[rng.permutation(n)[labelled:]] = None
    return truth, gold, {"words": said(0.20, 0.035), "network": said(0.13, 0.03)}, said(0.10, 0.05)


def main() -> None:
    truth, gold, said, judge = messages()
    how = {"judge": {"gpt": judge}, "positive": "spam"}

    ev = bf.from_labels(gold, said, **how)
    print(bf.compare(ev, "words", "network", rng=1))

    # Labelled items alone, and the judge taken for gold: too wide, and wrong.
    some = np.array([label is not None for label in gold])
    alone = bf.from_labels(gold[some].astype(str), {m: v[some] for m, v in said.items()}, positive="spam")
    naive = bf.from_labels(judge, said, positive="spam")
    full = bf.from_labels(truth, said, positive="spam")
    gap = bf.score(full, "network") - bf.score(full, "words")
    print(f"\nThe true difference in F1 is {100 * gap:+.1f} points (dotted in the figure); 95 % intervals:")
    ways = {"labelled items alone": alone, "the judge as gold": naive, "both": ev}
    answers = {name: bf.compare(one, metrics=["f1"], rng=1)["f1"] for name, one in ways.items()}
    for name, answer in answers.items():
        low, high = answer.difference.interval(0.95)
        print(f"  {name:<22} {100 * low:+.1f} to {100 * high:+.1f}")

    print()
    plan = bf.plan_labels(ev, budget=200, rng=1)
    print(plan)

    # Someone labels them, and the same columns are read again.
    gold[plan.items] = truth[plan.items]
    print()
    res = bf.compare(bf.from_labels(gold, said, **how), rope=0.01, rng=1)
    print(res.sentence())
    axes = bf.plot_classes({**answers, "both, 200 labels later": res["f1"]})
    axes.axvline(gap, color="black", linestyle="dotted")


if __name__ == "__main__":
    main()
