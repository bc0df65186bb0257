"""YAML as plain data with the line of each node: a safe subset, errors in our words."""

from typing import TYPE_CHECKING

from agentsim._lazy import attach

if TYPE_CHECKING:
    from agentsim.plain_yaml.scalars import NotANumber as NotANumber
    from agentsim.plain_yaml.scalars import meaning as meaning
    from agentsim.plain_yaml.text import YamlDocument as YamlDocument
    from agentsim.plain_yaml.text import load_yaml as load_yaml
    from agentsim.plain_yaml.text import load_yaml_file as load_yaml_file
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "NotANumber": "scalars",
            "YamlDocument": "text",
            "load_yaml": "text",
            "load_yaml_file": "text",
            "meaning": "scalars",
        },
    )
