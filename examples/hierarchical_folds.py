"""
A hierarchical multinomial model, in PyMC
=========================================

The six folds of Wang & Li's experiment on organisations as groups, and what that adds to effective counts.

Needs ``pip install 'bayesf1[pymc]'``. The model is compiled first, which takes up to a minute;
then four chains of 1,000 draws take seconds.
"""

import arviz as az

import bayesf1 as bf

ev = bf.load_example("wang-li-org")
fit = bf.hierarchical(ev, likelihood="multinomial", metrics="f1", rng=1, progress=False)
print(fit)

# %%
# The model is one of PyMC, twelve lines long. Change it, or sample it again with settings of your own:

print(fit.model.str_repr())

# %%
# Effective counts multiply the sums over all folds by k = 0.3688: as three repeats test the same items, six folds are
# worth 2.2. The multinomial model does not know of repeats. It takes six separate test sets with 2.7 times as many
# counts, and learns from their spread how alike folds are: what it says of a new fold is less sure than of the average.

tests = {
    "effective counts": bf.compare(ev, metrics="f1")["f1"],
    "the average fold": fit.compare()["f1"],
    "a new fold": fit.compare(question="new")["f1"],
}
for name, test in tests.items():
    low, high = (100 * end for end in test.difference.interval())
    print(f"{name:<17} B minus A from {low:+.2f} to {high:+.2f} points, P(H1) = {test.p_h1:.2f}")

# %%
# The average, a new fold and the suite stand above the line, the folds below, each shrunk towards the others:

questions = {
    fit.scope(q) if q in ("average", "new", "suite") else q: fit.compare(question=q)["f1"]
    for q in fit.questions
}
ax = bf.plot_classes(questions, apart=3)

# %%
# Before the data: which tables does the prior expect? And after: do predicted tables look like the observed ones? Two
# names differ between ArviZ 0.x and 1.x.

idata = fit.to_arviz()
old = hasattr(az, "plot_ppc")
_ = (
    az.plot_ppc(idata, group="prior", kind="cumulative", num_pp_samples=50)
    if old
    else az.plot_ppc_dist(idata, group="prior_predictive", kind="ecdf")
)

# %%
_ = az.plot_ppc(idata, kind="cumulative", num_pp_samples=50) if old else az.plot_ppc_dist(idata, kind="ecdf")

# %%
# Do the chains agree? They lie on each other, as the verdict above says, too.

_ = (az.plot_trace if old else az.plot_trace_dist)(idata, var_names=["log_kappa"])

# %%
# Scores and differences in numbers, and how well each fold is predicted by the others (``az.loo``):

print(fit.summary().filter(like="difference", axis=0).iloc[:, :4].round(4).to_string())
print(az.loo(idata))
