"""Runs as snapshots: a syrupy extension that stores them as readable timelines.

syrupy imports it at the start of each session, so it imports nothing of agentsim.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from syrupy.extensions.amber import AmberDataSerializerPlugin, AmberSnapshotExtension
from syrupy.extensions.amber.serializer import AmberDataSerializer

if TYPE_CHECKING:
    from agentsim.simulation import Run
    from agentsim.trace import Trace

__all__ = ["TimelineExtension"]


class _Timelines(AmberDataSerializerPlugin):
    @classmethod
    def is_data_serializable(cls, data: object) -> bool:
        if not type(data).__module__.startswith("agentsim."):
            return False
        from agentsim.simulation import Run
        from agentsim.trace import Trace

        return isinstance(data, (Run, Trace))

    @classmethod
    def serialize(cls, data: Run | Trace, **options: Any) -> str:
        from agentsim.pytest_plugin.timelines import timeline_text

        return AmberDataSerializer.serialize_string(timeline_text(data), **options)


class _Serializer(AmberDataSerializer):
    serializer_plugins = (_Timelines,)


class TimelineExtension(AmberSnapshotExtension):
    """Stores runs and traces as timelines, and everything else as syrupy does."""

    serializer_class = _Serializer
