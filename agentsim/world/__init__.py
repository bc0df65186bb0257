"""The simulated outside: stateful parts with tools, a person, and the ledger of effects."""

from typing import TYPE_CHECKING

from agentsim._lazy import attach

if TYPE_CHECKING:
    from agentsim.world.cpu import Cpu as Cpu
    from agentsim.world.cpu import CpuSystem as CpuSystem
    from agentsim.world.cpu import Process as Process
    from agentsim.world.database import Database as Database
    from agentsim.world.database import DatabaseSystem as DatabaseSystem
    from agentsim.world.disk import Disk as Disk
    from agentsim.world.disk import DiskSystem as DiskSystem
    from agentsim.world.files import Case as Case
    from agentsim.world.files import Files as Files
    from agentsim.world.files import FilesSystem as FilesSystem
    from agentsim.world.files import Suite as Suite
    from agentsim.world.files import SuiteSystem as SuiteSystem
    from agentsim.world.human import Human as Human
    from agentsim.world.human import Person as Person
    from agentsim.world.parameters import AtLeast as AtLeast
    from agentsim.world.parameters import Parameter as Parameter
    from agentsim.world.parameters import Parameters as Parameters
    from agentsim.world.plain import read_dataclass as read_dataclass
    from agentsim.world.plain import write_dataclass as write_dataclass
    from agentsim.world.reference import world_tools_page as world_tools_page
    from agentsim.world.registry import SPECS as SPECS
    from agentsim.world.registry import from_plain as from_plain
    from agentsim.world.registry import human_from_plain as human_from_plain
    from agentsim.world.registry import to_plain as to_plain
    from agentsim.world.search import Search as Search
    from agentsim.world.search import SearchSystem as SearchSystem
    from agentsim.world.services import Service as Service
    from agentsim.world.services import Services as Services
    from agentsim.world.services import ServicesSystem as ServicesSystem
    from agentsim.world.services import ServiceState as ServiceState
    from agentsim.world.subsystem import Spec as Spec
    from agentsim.world.subsystem import Subsystem as Subsystem
    from agentsim.world.subsystem import Surroundings as Surroundings
    from agentsim.world.subsystem import unknown as unknown
    from agentsim.world.tools import WorldTool as WorldTool
    from agentsim.world.tools import tools_of as tools_of
    from agentsim.world.tools import world_tool as world_tool
    from agentsim.world.world import Effect as Effect
    from agentsim.world.world import World as World
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "AtLeast": "parameters",
            "Case": "files",
            "Cpu": "cpu",
            "CpuSystem": "cpu",
            "Database": "database",
            "DatabaseSystem": "database",
            "Disk": "disk",
            "DiskSystem": "disk",
            "Effect": "world",
            "Files": "files",
            "FilesSystem": "files",
            "Human": "human",
            "Parameter": "parameters",
            "Parameters": "parameters",
            "Person": "human",
            "Process": "cpu",
            "SPECS": "registry",
            "Search": "search",
            "SearchSystem": "search",
            "Service": "services",
            "ServiceState": "services",
            "Services": "services",
            "ServicesSystem": "services",
            "Spec": "subsystem",
            "Subsystem": "subsystem",
            "Suite": "files",
            "SuiteSystem": "files",
            "Surroundings": "subsystem",
            "World": "world",
            "WorldTool": "tools",
            "from_plain": "registry",
            "human_from_plain": "registry",
            "read_dataclass": "plain",
            "to_plain": "registry",
            "tools_of": "tools",
            "unknown": "subsystem",
            "world_tool": "tools",
            "world_tools_page": "reference",
            "write_dataclass": "plain",
        },
    )
