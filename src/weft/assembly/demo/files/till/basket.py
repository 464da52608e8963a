"""What a customer buys."""

from dataclasses import dataclass, field


@dataclass
class Line:
    name: str
    cents: int
    count: int = 1


@dataclass
class Basket:
    lines: list[Line] = field(default_factory=list)

    def add(self, name: str, cents: int, count: int = 1) -> None:
        self.lines.append(Line(name, cents, count))

    def total(self) -> int:
        return sum(line.cents * line.count for line in self.lines)
