"""Published networks as facts: levels, parents, and the probabilities line by line, parents' levels in their order.

ASIA: Lauritzen and Spiegelhalter (1988), Local computations with probabilities on graphical structures and their
application to expert systems, Journal of the Royal Statistical Society B 50.
CANCER: Korb and Nicholson (2010), Bayesian artificial intelligence, section 2.2.2.
CHILD: Spiegelhalter, Dawid, Lauritzen and Cowell (1993), Bayesian analysis in expert systems, Statistical Science 8,
with the numbers of the Bayesian network repository of bnlearn (Scutari 2010).
CAMPFIRE: Mitchell (1997), Machine learning, section 6.11; the chances of storms and buses are ours.
"""

from __future__ import annotations

import numpy as np

import crake

Facts = dict[str, tuple[str, str, str]]
"""Levels, parents and probabilities of each variable."""

CANCER: Facts = {
    "Pollution": ("low high", "", ".9 .1"),
    "Smoker": ("True False", "", ".3 .7"),
    "Cancer": ("True False", "Pollution Smoker", ".03 .97  .001 .999  .05 .95  .02 .98"),
    "Xray": ("positive negative", "Cancer", ".9 .1  .2 .8"),
    "Dyspnoea": ("True False", "Cancer", ".65 .35  .3 .7"),
}

ASIA: Facts = {
    "asia": ("yes no", "", ".01 .99"),
    "tub": ("yes no", "asia", ".05 .95  .01 .99"),
    "smoke": ("yes no", "", ".5 .5"),
    "lung": ("yes no", "smoke", ".1 .9  .01 .99"),
    "bronc": ("yes no", "smoke", ".6 .4  .3 .7"),
    "either": ("yes no", "lung tub", "1 0  1 0  1 0  0 1"),
    "xray": ("yes no", "either", ".98 .02  .05 .95"),
    "dysp": ("yes no", "bronc either", ".9 .1  .8 .2  .7 .3  .1 .9"),
}

CHILD: Facts = {
    "BirthAsphyxia": ("yes no", "", ".1 .9"),
    "Disease": (
        "PFC TGA Fallot PAIVS TAPVD Lung",
        "BirthAsphyxia",
        ".2 .3 .25 .15 .05 .05  .03061224 .33673469 .29591837 .23469388 .05102041 .05102041",
    ),
    "Sick": ("yes no", "Disease", ".4 .6  .3 .7  .2 .8  .3 .7  .7 .3  .7 .3"),
    "LVH": ("yes no", "Disease", ".1 .9  .1 .9  .1 .9  .9 .1  .05 .95  .1 .9"),
    "DuctFlow": (
        "Lt_to_Rt None Rt_to_Lt",
        "Disease",
        ".15 .05 .8  .1 .8 .1  .8 .2 0  1 0 0  .33 .33 .34  .2 .4 .4",
    ),
    "CardiacMixing": (
        "None Mild Complete Transp.",
        "Disease",
        ".4 .43 .15 .02  .02 .09 .09 .8  .02 .16 .8 .02  .01 .02 .95 .02  .01 .03 .95 .01  .4 .53 .05 .02",
    ),
    "LungParench": (
        "Normal Congested Abnormal",
        "Disease",
        ".6 .1 .3  .8 .05 .15  .8 .05 .15  .8 .05 .15  .1 .6 .3  .03 .25 .72",
    ),
    "LungFlow": (
        "Normal Low High",
        "Disease",
        ".3 .65 .05  .2 .05 .75  .15 .8 .05  .1 .85 .05  .3 .1 .6  .7 .1 .2",
    ),
    "HypDistrib": (
        "Equal Unequal",
        "DuctFlow CardiacMixing",
        ".95 .05  .95 .05  .95 .05  .95 .05  .95 .05  .95 .05  .95 .05  .95 .05  .05 .95  .5 .5  .95 .05  .5 .5",
    ),
    "HypoxiaInO2": (
        "Mild Moderate Severe",
        "CardiacMixing LungParench",
        (
            ".93 .05 .02  .15 .8 .05  .7 .2 .1  .1 .8 .1  .1 .75 .15  .1 .65 .25  .1 .7 .2  .05 .65 .3  .1 .5 .4  "
            ".02 .18 .8  .1 .3 .6  .02 .18 .8"
        ),
    ),
    "CO2": ("Normal Low High", "LungParench", ".8 .1 .1  .65 .05 .3  .45 .05 .5"),
    "ChestXray": (
        "Normal Oligaemic Plethoric Grd_Glass Asy/Patch",
        "LungParench LungFlow",
        (
            ".9 .03 .03 .01 .03  .14 .8 .02 .02 .02  .15 .01 .79 .04 .01  .05 .02 .15 .7 .08  .05 .22 .08 .5 .15  "
            ".05 .02 .4 .4 .13  .05 .05 .05 .05 .8  .05 .15 .05 .05 .7  .24 .33 .03 .34 .06"
        ),
    ),
    "Grunting": ("yes no", "LungParench Sick", ".2 .8  .05 .95  .4 .6  .2 .8  .8 .2  .6 .4"),
    "Age": (
        "0-3_days 4-10_days 11-30_days",
        "Disease Sick",
        (
            ".95 .03 .02  .85 .1 .05  .8 .15 .05  .7 .2 .1  .7 .15 .15  .25 .25 .5  .8 .15 .05  .8 .15 .05  "
            ".8 .15 .05  .7 .2 .1  .9 .08 .02  .8 .15 .05"
        ),
    ),
    "LVHreport": ("yes no", "LVH", ".9 .1  .05 .95"),
    "LowerBodyO2": (
        "<5 5-12 12+",
        "HypDistrib HypoxiaInO2",
        ".1 .3 .6  .3 .6 .1  .5 .4 .1  .4 .5 .1  .5 .45 .05  .6 .35 .05",
    ),
    "RUQO2": ("<5 5-12 12+", "HypoxiaInO2", ".1 .3 .6  .3 .6 .1  .5 .4 .1"),
    "CO2Report": ("<7.5 >=7.5", "CO2", ".9 .1  .9 .1  .1 .9"),
    "XrayReport": (
        "Normal Oligaemic Plethoric Grd_Glass Asy/Patchy",
        "ChestXray",
        ".8 .06 .06 .02 .06  .1 .8 .02 .02 .06  .1 .02 .8 .02 .06  .08 .02 .1 .6 .2  .08 .02 .1 .1 .7",
    ),
    "GruntingReport": ("yes no", "Grunting", ".8 .2  .1 .9"),
}


def network(facts: Facts) -> crake.BayesNetwork:
    """Build a network of facts."""
    levels = {name: own.split() for name, (own, _, _) in facts.items()}
    arcs = [(parent, name) for name, (_, parents, _) in facts.items() for parent in parents.split()]
    shapes = {name: [len(levels[v]) for v in (*facts[name][1].split(), name)] for name in facts}
    tables = {name: np.array(numbers.split(), float).reshape(shapes[name]) for name, (_, _, numbers) in facts.items()}
    return crake.BayesNetwork.from_tables(arcs, tables, levels=levels)


def campfire() -> crake.BayesNetwork:
    """Build Mitchell's example: Storm, BusTourGroup → Campfire."""
    return crake.BayesNetwork.from_tables(
        [("Storm", "Campfire"), ("BusTourGroup", "Campfire")],
        {
            "Storm": 0.3,
            "BusTourGroup": 0.5,
            "Campfire": {(True, True): 0.4, (True, False): 0.1, (False, True): 0.8, (False, False): 0.2},
        },
    )
