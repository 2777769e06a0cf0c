"""How often each of many callers may call, by GCRA, in one process or several together."""

from libs.rate_limits.limiter import RateLimiter, Spent

__all__ = ["RateLimiter", "Spent"]
