"""
Deciding between two models
===========================

All the way from predictions to a sentence for the paper.

Two classifiers of 600 messages in 60 conversations, simulated here so that the example needs no files; in your own work
the three lists come from a file, and everything below `messages` stays the same.
"""

import numpy as np

import bayesf1 as bf


def messages() -> tuple[list[str], list[str], list[str], list[int]]:
    """Gold labels, two models' labels and the conversation of each message; some conversations are harder."""
    rng = np.random.default_rng(7)
    conversation = np.repeat(np.arange(60), 10)
    risk = 0.06 + 0.9 * rng.beta(2, 8, 60)[conversation]
    gold = rng.random(600) < 0.3
    luck = rng.random(600)
    old, new = gold ^ (luck < risk), gold ^ (luck < 0.8 * risk)
    names = np.array(["ham", "spam"])
    return *(names[x.astype(int)].tolist() for x in (gold, old, new)), conversation.tolist()


gold, old, new, conversation = messages()

# %%
# Conversations were sampled, and messages of one conversation resemble each other, so conversations are the units:

ev = bf.from_labels(gold, {"old": old, "new": new}, positive="spam", groups=conversation)
res = bf.compare(ev, "old", "new", rope=0.01, rng=1)
print(res)

# %%
# The figure for the paper; ``bf.save_plot(axes, "figure.pdf")`` writes it:

axes = bf.plot_difference(res)

# %%
# For reviewers, a randomisation test and confidence intervals of the difference:

print(bf.randomization_test(ev, "old", "new", rng=1))
print(bf.difference_intervals(ev, "old", "new", rng=1))

# %%
# Is the test set large enough?

print(bf.resolution(ev, rng=1))

# %%
# For the section on methods:

print(res.methods_sentence())
