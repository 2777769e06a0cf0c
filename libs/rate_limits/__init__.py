"""How often each of many callers may call, by GCRA, in one process or several together."""

from libs.rate_limits.limiter import CallerBudgets, RateLimiter, Spent
from libs.rate_limits.shared import SharedRates

__all__ = ["CallerBudgets", "RateLimiter", "SharedRates", "Spent"]
