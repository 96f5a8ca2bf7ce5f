"""Published numbers of PRISM and of what it was compared with, as (NMI, TSS).

Goel & Brunskill, ICLR 2019, Tables 1 and 12. Fig. 7 prints no numbers; those here are the ones that the authors
noted in the script that evaluates its runs (StanfordAI4HI/ICLR2019_prism, scripts/eval_surgery.sh).
"""

from __future__ import annotations

from collections.abc import Mapping

Pair = tuple[float, float]

MIXTURE, OURS, AS_PUBLISHED, BEST = "mixture", "PRISM", "PRISM as published", "PRISM, best sample"
HMM = {0.1: "HMM (.1)", 1.0: "HMM (1)", 100.0: "HMM (100)"}  # by the concentration of a row of the transition matrix
BASELINES = (MIXTURE, *HMM.values())
METHODS = (*BASELINES, AS_PUBLISHED, OURS, BEST)

PUBLISHED: Mapping[str, Mapping[str, Pair]] = {
    "simulated": {
        MIXTURE: (0.7521, 0.7337),
        HMM[0.1]: (0.4768, 0.7250),
        HMM[1.0]: (0.5645, 0.7239),
        HMM[100.0]: (0.5932, 0.5131),
        OURS: (0.7904, 0.8277),
    },
    "bees 1": {
        MIXTURE: (0.1997, 0.6121),
        HMM[0.1]: (0.3211, 0.6643),
        HMM[1.0]: (0.2920, 0.6500),
        HMM[100.0]: (0.2214, 0.5869),
        OURS: (0.2504, 0.6590),
    },
    "bees 2": {
        MIXTURE: (0.3552, 0.6238),
        HMM[0.1]: (0.3739, 0.7080),
        HMM[1.0]: (0.3782, 0.6916),
        HMM[100.0]: (0.5033, 0.7828),
        OURS: (0.4601, 0.7596),
    },
    "bees 3": {
        MIXTURE: (0.1286, 0.4474),
        HMM[0.1]: (0.1714, 0.5235),
        HMM[1.0]: (0.1775, 0.5328),
        HMM[100.0]: (0.1873, 0.5356),
        OURS: (0.1826, 0.5465),
    },
    "bees 4": {
        MIXTURE: (0.3120, 0.6386),
        HMM[0.1]: (0.3963, 0.7820),
        HMM[1.0]: (0.3663, 0.7375),
        HMM[100.0]: (0.4359, 0.8151),
        OURS: (0.4157, 0.7827),
    },
    "knot tying": {
        MIXTURE: (0.0698, 0.2512),
        HMM[0.1]: (0.0505, 0.2294),
        HMM[1.0]: (0.0540, 0.2448),
        HMM[100.0]: (0.0611, 0.2502),
        OURS: (0.0975, 0.2888),
    },
    "needle passing": {
        MIXTURE: (0.0294, 0.2193),
        HMM[0.1]: (0.0299, 0.2544),
        HMM[1.0]: (0.0327, 0.2272),
        HMM[100.0]: (0.0321, 0.2291),
        OURS: (0.1547, 0.2800),
    },
    "suturing": {
        MIXTURE: (0.1996, 0.3475),
        HMM[0.1]: (0.1752, 0.3891),
        HMM[1.0]: (0.1898, 0.3897),
        HMM[100.0]: (0.1865, 0.3773),
        OURS: (0.3326, 0.4668),
    },
    "suturing, one expert": {
        MIXTURE: (0.3258, 0.4903),
        HMM[0.1]: (0.2749, 0.4992),
        HMM[1.0]: (0.2993, 0.4872),
        HMM[100.0]: (0.2865, 0.4732),
        OURS: (0.5154, 0.6203),
    },
}

# Fig. 7: suturing of one expert, by the number of slots (10 states) and by the number of states (25 slots).
BY_SLOTS: Mapping[int, Pair] = {
    5: (0.3301, 0.3129),
    10: (0.4716, 0.4415),
    15: (0.4979, 0.5383),
    20: (0.5442, 0.6479),
    25: (0.5154, 0.6203),
    30: (0.5284, 0.6768),
    35: (0.5175, 0.6721),
    40: (0.4895, 0.6371),
    45: (0.5050, 0.6887),
    50: (0.4980, 0.6532),
    100: (0.4396, 0.6333),
}
BY_STATES: Mapping[int, Pair] = {
    3: (0.3443, 0.6374),
    5: (0.4842, 0.6934),
    7: (0.4968, 0.6582),
    10: (0.5154, 0.6203),
    13: (0.5490, 0.6033),
    15: (0.5235, 0.5512),
}
