"""
Figures for a paper
===================

Figures 1 to 3 of Wang & Li (2019), and the ranking of the seven systems of WNUT 2017.

Solid curves are the posteriors with the paper's discount for 3×2 blocked cross-validation, dash-dotted ones those of
Wang et al. (2015), each from its 0.001 to its 0.999 quantile. All of them are exact. The last figure shows how often 95 %
intervals of F1 contain the true score as a test set grows, in the first scenario of Lam (2023), computed exactly. Run::

    python examples/figures.py --output figures

Without ``--output`` they are shown but not saved.
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt

import bayesf1 as bf

FORMATS = ("pdf", "png")


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Draw the figures of Wang & Li (2019) and the WNUT 2017 ranking."
    )
    parser.add_argument("--output", type=Path, help="folder for the figures; they are only shown by default")
    folder = parser.parse_args().output

    figures = {
        f"wang_li_{task}": bf.plot_posterior(bf.load_example(f"wang-li-{task}"))
        for task in ("cws", "ner", "org")
    }

    wnut = bf.load_example("wnut17")
    figures["wnut17_rank"] = bf.plot_rank(bf.rank(wnut, rng=2017))
    res = bf.compare(wnut, "SpinningBytes", "UH-RiTUAL", rope=0.01, rng=2017)
    figures["wnut17_difference"] = bf.plot_difference(res)

    curve = bf.coverage_curve([*range(10, 101, 5), *range(120, 501, 20)], 0.4, 0.1, 0.1)
    figures["coverage"] = bf.plot_coverage(curve)

    if folder is None:
        plt.show()
        return
    folder.mkdir(parents=True, exist_ok=True)
    for name, axes in figures.items():
        for ending in FORMATS:
            path = folder / f"{name}.{ending}"
            bf.save_plot(axes, path)
            print(path)


if __name__ == "__main__":
    main()
