"""The simulated outside: stateful parts with tools, a person, and the ledger of effects."""

from typing import TYPE_CHECKING

from agentsim._lazy import attach

if TYPE_CHECKING:
    from agentsim.world.human import Human as Human
    from agentsim.world.human import Person as Person
    from agentsim.world.own.making import tool as tool
    from agentsim.world.own.parts import OwnPart as OwnPart
    from agentsim.world.own.parts import world_part as world_part
    from agentsim.world.own.tools import OwnTool as OwnTool
    from agentsim.world.own.tools import OwnToolSystem as OwnToolSystem
    from agentsim.world.parameters import AtLeast as AtLeast
    from agentsim.world.parameters import Parameter as Parameter
    from agentsim.world.parameters import Parameters as Parameters
    from agentsim.world.parts.canned import Canned as Canned
    from agentsim.world.parts.canned import CannedAnswer as CannedAnswer
    from agentsim.world.parts.canned import CannedSystem as CannedSystem
    from agentsim.world.parts.canned import CannedTool as CannedTool
    from agentsim.world.parts.cpu import Cpu as Cpu
    from agentsim.world.parts.cpu import CpuSystem as CpuSystem
    from agentsim.world.parts.cpu import Process as Process
    from agentsim.world.parts.database import Database as Database
    from agentsim.world.parts.database import DatabaseSystem as DatabaseSystem
    from agentsim.world.parts.disk import Disk as Disk
    from agentsim.world.parts.disk import DiskSystem as DiskSystem
    from agentsim.world.parts.files import Case as Case
    from agentsim.world.parts.files import Files as Files
    from agentsim.world.parts.files import FilesSystem as FilesSystem
    from agentsim.world.parts.files import Suite as Suite
    from agentsim.world.parts.files import SuiteSystem as SuiteSystem
    from agentsim.world.parts.mail import Letter as Letter
    from agentsim.world.parts.mail import Mail as Mail
    from agentsim.world.parts.mail import MailSystem as MailSystem
    from agentsim.world.parts.payments import Payments as Payments
    from agentsim.world.parts.payments import PaymentsSystem as PaymentsSystem
    from agentsim.world.parts.pull_requests import PullRequest as PullRequest
    from agentsim.world.parts.pull_requests import PullRequests as PullRequests
    from agentsim.world.parts.pull_requests import (
        PullRequestsSystem as PullRequestsSystem,
    )
    from agentsim.world.parts.search import Search as Search
    from agentsim.world.parts.search import SearchSystem as SearchSystem
    from agentsim.world.parts.services import Service as Service
    from agentsim.world.parts.services import Services as Services
    from agentsim.world.parts.services import ServicesSystem as ServicesSystem
    from agentsim.world.parts.services import ServiceState as ServiceState
    from agentsim.world.plain import read_dataclass as read_dataclass
    from agentsim.world.plain import write_dataclass as write_dataclass
    from agentsim.world.reference import world_tools_page as world_tools_page
    from agentsim.world.registry import SPECS as SPECS
    from agentsim.world.registry import from_plain as from_plain
    from agentsim.world.registry import human_from_plain as human_from_plain
    from agentsim.world.registry import to_plain as to_plain
    from agentsim.world.registry import tools_of_part as tools_of_part
    from agentsim.world.schemas import spec_schema as spec_schema
    from agentsim.world.schemas import untitled as untitled
    from agentsim.world.signatures import Described as Described
    from agentsim.world.signatures import described as described
    from agentsim.world.subsystem import Spec as Spec
    from agentsim.world.subsystem import Subsystem as Subsystem
    from agentsim.world.subsystem import Surroundings as Surroundings
    from agentsim.world.subsystem import Unchanged as Unchanged
    from agentsim.world.subsystem import unknown as unknown
    from agentsim.world.tools import Takes as Takes
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
            "Canned": "parts.canned",
            "CannedAnswer": "parts.canned",
            "CannedSystem": "parts.canned",
            "CannedTool": "parts.canned",
            "Case": "parts.files",
            "Cpu": "parts.cpu",
            "CpuSystem": "parts.cpu",
            "Database": "parts.database",
            "DatabaseSystem": "parts.database",
            "Described": "signatures",
            "Disk": "parts.disk",
            "DiskSystem": "parts.disk",
            "Effect": "world",
            "Files": "parts.files",
            "FilesSystem": "parts.files",
            "Human": "human",
            "Letter": "parts.mail",
            "Mail": "parts.mail",
            "MailSystem": "parts.mail",
            "OwnPart": "own.parts",
            "OwnTool": "own.tools",
            "OwnToolSystem": "own.tools",
            "Parameter": "parameters",
            "Parameters": "parameters",
            "Payments": "parts.payments",
            "PaymentsSystem": "parts.payments",
            "Person": "human",
            "Process": "parts.cpu",
            "PullRequest": "parts.pull_requests",
            "PullRequests": "parts.pull_requests",
            "PullRequestsSystem": "parts.pull_requests",
            "SPECS": "registry",
            "Search": "parts.search",
            "SearchSystem": "parts.search",
            "Service": "parts.services",
            "ServiceState": "parts.services",
            "Services": "parts.services",
            "ServicesSystem": "parts.services",
            "Spec": "subsystem",
            "Subsystem": "subsystem",
            "Suite": "parts.files",
            "SuiteSystem": "parts.files",
            "Surroundings": "subsystem",
            "Takes": "tools",
            "Unchanged": "subsystem",
            "World": "world",
            "WorldTool": "tools",
            "described": "signatures",
            "from_plain": "registry",
            "human_from_plain": "registry",
            "read_dataclass": "plain",
            "spec_schema": "schemas",
            "to_plain": "registry",
            "tool": "own.making",
            "tools_of": "tools",
            "tools_of_part": "registry",
            "unknown": "subsystem",
            "untitled": "schemas",
            "world_part": "own.parts",
            "world_tool": "tools",
            "world_tools_page": "reference",
            "write_dataclass": "plain",
        },
    )
