"""Entry point: `python -I -S <this folder>`, with no package around it."""

import importlib
import os
import sys

if __name__ == "__main__":
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    importlib.import_module("warden.program").main()
