"""The primary rate limit: so many requests until the reset, and the headers that tell of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class RateLimit:
    limit: int = 5000
    used: int = 0
    reset: float = 0.0
    hour: float = 3600.0

    def count(self, now: float) -> bool:
        """Whether one more request is allowed."""
        if now >= self.reset:
            self.used, self.reset = 0, now + self.hour
        if self.used >= self.limit:
            return False
        self.used += 1
        return True

    def give_back(self) -> None:
        """Answers without a change are free."""
        self.used -= 1

    def headers(self) -> dict[str, str]:
        return {
            "X-RateLimit-Limit": str(self.limit),
            "X-RateLimit-Remaining": str(self.limit - self.used),
            "X-RateLimit-Used": str(self.used),
            "X-RateLimit-Reset": str(int(self.reset)),
            "X-RateLimit-Resource": "core",
        }
