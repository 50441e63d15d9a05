# The module in C++, for neardup/__init__.py only.
from typing import Any

def __getattr__(name: str) -> Any: ...
