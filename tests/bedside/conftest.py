from __future__ import annotations

from tests.full_disk import full
from tests.recorded_arm import arm_session

__all__ = ["arm_session", "full"]
