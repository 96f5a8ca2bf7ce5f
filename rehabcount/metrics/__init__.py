"""Evaluation: one module per family, each with one result object and an `evaluate()` that computes it once.

    edit         which movements, in which order: edit score, action error rate, sensitivity, confusions, counts
    segment      where they begin and end: frame accuracy, F1@k, boundaries
    structure    unlabelled clusterings: RSS, LASS, SSS, TSS, and the classical clustering scores
    abstraction  discovered activities at another level of detail than the reference
    stability    discovered activities in data that they were not found in
    detection    ranked detections: mAP@mid
    cloze        words filled into blanks
    agreement    counts against people: bias, limits of agreement, ICC, smallest detectable change
    bootstrap    how far a score would move with other trials or subjects

    matching     the one alignment and the one matcher of spans, which they share; weighting: sums over trials
    summary      all that applies to a set of trials at once; ribbons: labellings as a picture

`reference` (labels of annotators) comes first, `estimate` (labels of the recogniser) second. Importing this package
loads none of its modules.
"""
