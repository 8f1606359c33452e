"""
Was the winner really the best?
===============================

The seven systems of the WNUT 2017 shared task, ranked with their uncertainty.

The packaged example holds which system found which entity in which sentence, computed from the systems' outputs
(Derczynski, Nichols, van Erp and Limsopatham 2017, CC BY 4.0).
"""

import bayesf1 as bf

ev = bf.load_example("wnut17")
print("Entity F1 of seven systems on 1,287 sentences, as published, in percent:")
for model in ev.models:
    print(f"  {model:<14} {100 * bf.score(ev, model):.2f}")

# %%
# The same ranking with its uncertainty, by a Bayesian bootstrap over sentences:

ranking = bf.rank(ev, metric="f1", rng=2017)
print(ranking)

# %%
# Who beats whom, and the probability of each rank:

axes = bf.plot_rank(ranking)

# %%
# The first two side by side. They read the same sentences and make similar errors, so pairing sharpens the
# comparison. They reach their F1 in different ways, one by precision, the other by recall:

first, second = ev.models[:2]
res = bf.compare(ev, second, first, rope=0.01, rng=2017)
print(res)

# %%

axes = bf.plot_difference(res)

# %%
# What if spans are treated as independent trials, although those of one sentence are not?

for assumption in ("independent", "paired", "clustered"):
    one = bf.compare(ev, second, first, metrics="f1", assumption=assumption, rng=2017)["f1"]
    low, high = one.difference.interval(0.95)
    print(
        f"  {assumption:<12} P(H1) = {one.p_h1:.3f}, difference {100 * low:+.1f} to {100 * high:+.1f} points"
    )
