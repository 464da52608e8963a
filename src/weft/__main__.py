"""`weft`, `python -m weft`."""


def main() -> None:
    raise SystemExit("weft: not built yet")


if __name__ == "__main__":
    main()
