"""Deterministic simulation and testing for agent loops.

The names below are the public entry points; everything else is imported from the
package that owns it (`from agentsim.faults import answer_lost`). Importing agentsim
loads nothing and changes nothing: each name is resolved on first use.

To add a name: one line under `TYPE_CHECKING` and one in the table. The value in the
table is the package that exports it (`"Scenario": "simulation"`). At most 50 names.
"""

from agentsim._lazy import attach

__version__ = "0.1.0"

# Tools take this name for true. Importing `typing` for it would be most of the time that
# `import agentsim` costs; the packages below use it anyway and import it as usual.
TYPE_CHECKING = False

if TYPE_CHECKING:
    pass
else:
    __getattr__, __dir__, __all__ = attach(__name__, {})
