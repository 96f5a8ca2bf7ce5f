"""The door for Python users: what `import rehabcount as rc` offers is made here and documented in docs/python.md.

    session      open_session: a recorded session as aligned signals, events and reference labels
    counting     count, count_arrays, calibrate_arrays, Counter: how much was done
    evaluation   evaluate, read_labels, edit_score, action_error_rate: labels against a reference
    agreement    bland_altman, false_per_hour: counts against a person's counts
    simulation   simulate: a recording of a simulated person, with the truth beside it

Public is what `rehabcount.__all__` lists; the modules of `rehabcount.metrics` are documented and may be imported, too.
Every other module, this package's own included, is internal and may change with any release. The modules below
are loaded when a name is first used.

    arrays       arrays of any sensor as the packets of the bedside; refuses arrays that cannot be motion
    array_advice what to do better in a calibration, in words for arrays
    units        whether acceleration and angular rate are in the units that they should be in
    pushed       the walk with its input in chunks
    results      the results of counting
    bedside      the only module here that imports the package `bedside`
"""
