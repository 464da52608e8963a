"""Amounts, in whole cents."""


def parse(text: str) -> int:
    """`12.50` as cents."""
    whole, _, cents = text.strip().partition(".")
    return int(whole) * 100 + int(cents or 0)


def show(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02d}"
