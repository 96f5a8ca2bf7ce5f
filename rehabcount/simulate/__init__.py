"""A body that moves: kinematic chain, activities, impairment, virtual sensors, cohorts and whole sessions."""
