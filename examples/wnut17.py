"""Was the winner really the best? The seven systems of the WNUT 2017 shared task, ranked with their uncertainty.

The packaged example holds which system found which entity in which sentence, computed from the systems' outputs
(Derczynski, Nichols, van Erp and Limsopatham 2017, CC BY 4.0).
"""

import bayesf1 as bf


def main() -> None:
    ev = bf.load_example("wnut17")
    print("Entity F1 of seven systems on 1,287 sentences, as published, in percent:")
    for model in ev.models:
        print(f"  {model:<14} {100 * bf.score(ev, model):.2f}")

    print("\nThe same with what a test set of this size can tell (Bayesian bootstrap over sentences):\n")
    print(bf.rank(ev, metric="f1", rng=2017))

    print(
        "\nThe first two side by side. Their errors are alike, as they read the same sentences, so pairing sharpens"
    )
    print("the comparison; and they reach their F1 in different ways, one by precision, one by recall:\n")
    first, second = ev.models[:2]
    print(bf.compare(ev, second, first, rope=0.01, rng=2017))

    print("\nWhat if spans are taken as independent trials, though those of one sentence are not?")
    for assumption in ("independent", "paired", "clustered"):
        res = bf.compare(ev, second, first, metrics="f1", assumption=assumption, rng=2017)["f1"]
        low, high = res.difference.interval(0.95)
        print(
            f"  {assumption:<12} P(H1) = {res.p_h1:.3f}, difference {100 * low:+.1f} to {100 * high:+.1f} points"
        )


if __name__ == "__main__":
    main()
