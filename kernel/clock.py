"""The one source of time; tests put their own in its place."""

import time


class SystemClock:
    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000
