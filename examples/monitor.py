"""
Monitoring an annotation project
================================

Label in batches, look after each, and stop as soon as something may be claimed.

Two classifiers of support tickets are compared while people label tickets, 50 a day. If you look at a posterior every day, it
calls one of two equally good models better far too often. You may look at `bf.monitor` after every batch: at most 5 % of all
projects end with a false claim, whenever they stop.
"""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import bayesf1 as bf

BATCH, MOST = 50, 1500


def tickets(seed: int, *, old_errors: float, new_errors: float) -> tuple[list[bool], dict[str, list[bool]]]:
    """Gold labels in the order in which they are asked for, which is at random, and both models' labels."""
    rng = np.random.default_rng(seed)
    gold = rng.random(MOST) < 0.3
    said = {"old": gold ^ (rng.random(MOST) < old_errors), "new": gold ^ (rng.random(MOST) < new_errors)}
    return gold.tolist(), {name: labels.tolist() for name, labels in said.items()}


def annotate(gold: list[bool], said: dict[str, list[bool]]) -> Any:
    """Label batch after batch until something is decided, or the budget is spent."""
    state: Any = None
    for n in range(BATCH, MOST + 1, BATCH):
        so_far = bf.from_labels(gold[:n], {name: labels[:n] for name, labels in said.items()}, positive=True)
        state = bf.monitor(so_far, "old", "new", metric="accuracy", previous=state)
        if state.decided:
            break
    return state


def draw(project: Any) -> None:
    """Draw the confidence sequence of a project, which narrows from look to look and holds at each of them."""
    plt.rcParams["font.size"] = 8
    _, axes = plt.subplots(figsize=(3.03, 2.2), layout="constrained")
    items = [look.n_units for look in project.looks]
    low, high = (np.array([getattr(look, end) for look in project.looks]) for end in ("low", "high"))
    axes.fill_between(items, 100 * low, 100 * high, color="0.85", edgecolor="black")
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set(xlabel="Labelled tickets", ylabel="Difference in accuracy (points)", xlim=(0, None))


def main() -> None:
    print("A new model that makes 7 % errors instead of 15 %:\n")
    print(annotate(*tickets(1, old_errors=0.15, new_errors=0.07)))
    draw(annotate(*tickets(2, old_errors=0.12, new_errors=0.12)))
    print("\nTwo models that make as many, thirty projects; how many decide that one is better:\n")
    false = {"looked at once, at the end": 0, "looked at every day, by the posterior": 0, "monitored": 0}
    for seed in range(2, 32):
        gold, said = tickets(seed, old_errors=0.12, new_errors=0.12)
        false["monitored"] += annotate(gold, said).decided
        sure = []
        for n in range(BATCH, MOST + 1, BATCH):
            so_far = bf.from_labels(gold[:n], {name: x[:n] for name, x in said.items()}, positive=True)
            sure.append(bf.compare(so_far, metrics="accuracy", rng=1)["accuracy"].verdict != "undecided")
        false["looked at every day, by the posterior"] += any(sure)
        false["looked at once, at the end"] += sure[-1]
    for how, n in false.items():
        print(f"  {how:40} {n} of 30")


if __name__ == "__main__":
    main()
