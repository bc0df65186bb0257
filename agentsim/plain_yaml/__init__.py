"""YAML as plain data with the line of each node: a safe subset, errors in our words."""

from typing import TYPE_CHECKING

from agentsim._lazy import attach

if TYPE_CHECKING:
    from agentsim.plain_yaml.fitting import Between as Between
    from agentsim.plain_yaml.fitting import MisfitError as MisfitError
    from agentsim.plain_yaml.fitting import can_fit as can_fit
    from agentsim.plain_yaml.fitting import field_names as field_names
    from agentsim.plain_yaml.fitting import fit as fit
    from agentsim.plain_yaml.fitting import nested_shapes as nested_shapes
    from agentsim.plain_yaml.scalars import NotANumber as NotANumber
    from agentsim.plain_yaml.scalars import meaning as meaning
    from agentsim.plain_yaml.text import YamlDocument as YamlDocument
    from agentsim.plain_yaml.text import load_yaml as load_yaml
    from agentsim.plain_yaml.text import load_yaml_file as load_yaml_file
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "Between": "fitting",
            "MisfitError": "fitting",
            "NotANumber": "scalars",
            "YamlDocument": "text",
            "can_fit": "fitting",
            "field_names": "fitting",
            "fit": "fitting",
            "load_yaml": "text",
            "load_yaml_file": "text",
            "meaning": "scalars",
            "nested_shapes": "fitting",
        },
    )
