"""What may not be called inside agentsim, and what to use in its place.

A run is repeatable only if nothing in it reads the real clock, draws chance, reaches
outside or follows the order of memory addresses. Such calls are found in the syntax
tree, with import aliases followed. `ALLOWED` names the few places that need one.
"""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate

from tests.support.source import Module


@dataclass(frozen=True, slots=True)
class Ban:
    """One kind of call: the dotted names that it covers, and its replacement."""

    name: str
    instead: str
    calls: tuple[str, ...] = ()


BANS = (
    Ban(
        "wall-clock",
        "take the time from `env.clock`, or from the engine's loop",
        (
            "datetime.date.today",
            "datetime.datetime.now",
            "datetime.datetime.today",
            "datetime.datetime.utcnow",
            "time.asctime",
            "time.clock_gettime",
            "time.clock_gettime_ns",
            "time.ctime",
            "time.gmtime",
            "time.localtime",
            "time.monotonic",
            "time.monotonic_ns",
            "time.perf_counter",
            "time.perf_counter_ns",
            "time.process_time",
            "time.process_time_ns",
            "time.strftime",
            "time.thread_time",
            "time.thread_time_ns",
            "time.time",
            "time.time_ns",
        ),
    ),
    Ban(
        "sleep",
        "await the clock's sleep, which costs virtual time only",
        ("time.sleep",),
    ),
    Ban(
        "chance",
        "draw from the engine's choice source, or from one of its named streams",
        (
            "os.getrandom",
            "os.urandom",
            "random.*",
            "secrets.*",
            "tempfile.mktemp",
            "uuid.getnode",
            "uuid.uuid1",
            "uuid.uuid4",
        ),
    ),
    Ban(
        "network",
        "go through a provider or a world; only the server may open sockets",
        (
            "aiohttp.*",
            "asyncio.open_connection",
            "asyncio.open_unix_connection",
            "asyncio.start_server",
            "asyncio.start_unix_server",
            "ftplib.*",
            "http.client.*",
            "http.server.*",
            "httpx.*",
            "requests.*",
            "smtplib.*",
            "socket.*",
            "socketserver.*",
            "ssl.*",
            "urllib.request.*",
            "urllib3.*",
        ),
    ),
    Ban(
        "processes",
        "keep the run in one process; worlds simulate what commands would do",
        (
            "asyncio.create_subprocess_exec",
            "asyncio.create_subprocess_shell",
            "concurrent.futures.ProcessPoolExecutor",
            "multiprocessing.*",
            "os.fork",
            "os.forkpty",
            "os.popen",
            "os.posix_spawn",
            "os.system",
            "pty.*",
            "subprocess.*",
        ),
    ),
    Ban(
        "addresses",
        "number things in order of creation; addresses and hashes differ between runs",
        ("hash", "id"),
    ),
    Ban(
        "private-asyncio",
        "go through the engine's one shim file, which tests its assumptions",
        # Found by their leading underscore, see `_banned_by`.
    ),
    Ban(
        "set-order",
        "iterate `sorted(...)`, or a dict, which keeps its order",
        # Found by their syntax, see `_is_set`.
    ),
)

_NAMES = (ast.Attribute, ast.Name)

_WALKING = (ast.AsyncFor, ast.Call, ast.For, ast.Starred, ast.comprehension)

BY_NAME = {ban.name: ban for ban in BANS}

BY_CALL = {call: ban for ban in BANS for call in ban.calls}


@dataclass(frozen=True, slots=True)
class Allowed:
    """A place that may do what is banned elsewhere, with the reason."""

    path: str
    ban: str
    reason: str

    def covers(self, path: str, ban: str) -> bool:
        """Whether this entry is about the ban, and the file or a folder above it."""
        return self.ban == ban and (
            path == self.path
            or (self.path.endswith("/") and path.startswith(self.path))
        )


ALLOWED = (
    Allowed(
        "agentsim/cli/cassette/check_action.py",
        "processes",
        "with --refresh it runs pytest, which records cassettes again",
    ),
    Allowed(
        "agentsim/cassettes/tape/clock.py",
        "wall-clock",
        "recordings of real sessions tell when they were made, and how long answers took",
    ),
    Allowed(
        "agentsim/cassettes/deck/channel.py",
        "sleep",
        "a blocking client waits as long as it did when it was recorded, on request",
    ),
    Allowed(
        "agentsim/cli/determinism/heap.py",
        "chance",
        "it lays out the heap of a child process by a seed; no run draws from it",
    ),
    Allowed(
        "agentsim/cli/determinism/processes.py",
        "processes",
        "it makes the runs of an agent in other processes, to compare the traces",
    ),
    Allowed(
        "agentsim/cli/doctor_command.py",
        "processes",
        "it makes the same run in other processes, to compare the traces",
    ),
    Allowed(
        "agentsim/engine/asyncio_shim.py",
        "private-asyncio",
        "the one file for it; `engine/self_test.py` tries out what it assumes",
    ),
    Allowed(
        "agentsim/engine/choices.py",
        "chance",
        "every choice comes from here, out of instances seeded by the run",
    ),
    Allowed(
        "agentsim/engine/threads/watchdog.py",
        "addresses",
        "it knows a callback again without keeping it; nothing of a run sees the number",
    ),
    Allowed(
        "agentsim/cassettes/importing/vcr.py",
        "addresses",
        "it knows a value of YAML again that aliases stand for; only a size comes of it",
    ),
    Allowed(
        "agentsim/engine/seals/timers.py",
        "wall-clock",
        "what it puts in the place of `time.ctime` asks the sealed wall clock",
    ),
    Allowed(
        "agentsim/engine/seals/entropy.py",
        "chance",
        "it puts streams of the run in the place of all that gives chance",
    ),
    Allowed(
        "agentsim/engine/seals/clock.py",
        "wall-clock",
        "it puts the run's clock in the place of the real one, and tries it out",
    ),
    Allowed(
        "agentsim/engine/seals/no_network.py",
        "network",
        "it looks up the hosts that a test may reach; connections show addresses only",
    ),
    Allowed(
        "agentsim/server/commanding.py",
        "processes",
        "it runs the command that a person gave it, beside the server",
    ),
    Allowed(
        "agentsim/server/hosting/host.py",
        "network",
        "it opens the socket that the server listens on",
    ),
    Allowed(
        "agentsim/simulation/exploring/sharing/",
        "wall-clock",
        "workers tell and are asked every few milliseconds, between runs; no run sees it",
    ),
    Allowed(
        "agentsim/simulation/exploring/sharing/processes.py",
        "processes",
        "the runs of an exploration are shared out among processes; none sees another",
    ),
    Allowed(
        "agentsim/simulation/exploring/explorer.py",
        "wall-clock",
        "a time limit and the runs per second are real time, outside of any run",
    ),
)


@dataclass(frozen=True, slots=True)
class Offence:
    """A banned call at a place."""

    path: str
    line: int
    ban: Ban
    what: str

    def __str__(self) -> str:
        """Say where, what, and the replacement."""
        return f"{self.path}:{self.line}: {self.what} ({self.ban.name}): {self.ban.instead}"


def offences(module: Module) -> Iterator[Offence]:
    """Yield every banned use in a module, allowed or not."""
    nodes = [*ast.walk(module.tree)]
    aliases = _aliases(nodes)
    inner = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
    for node in nodes:
        if isinstance(node, _NAMES) and id(node) not in inner:
            dotted = _dotted(node, aliases)
            if ban := _banned_by(dotted):
                yield Offence(module.path, node.lineno, ban, dotted)
        elif isinstance(node, _WALKING):
            for walked in _iterated(node):
                if _is_set(walked):
                    what = f"iteration over {ast.unparse(walked)}"
                    yield Offence(
                        module.path, walked.lineno, BY_NAME["set-order"], what
                    )


def _banned_by(dotted: str) -> Ban | None:
    """Find the ban that lists a resolved name, or a `prefix.*` of it, if any."""
    if not dotted:
        return None
    first, *rest = dotted.split(".")
    if first == "asyncio" and any(part.startswith("_") for part in rest):
        return BY_NAME["private-asyncio"]
    if dotted in BY_CALL:
        return BY_CALL[dotted]
    prefixes = accumulate((first, *rest), "{}.{}".format)
    return next(
        (BY_CALL[p] for p in map("{}.*".format, prefixes) if p in BY_CALL), None
    )


def _aliases(nodes: Iterable[ast.AST]) -> dict[str, str]:
    """Map each imported local name to the dotted name that it stands for."""
    found = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.split(".")[0]
                found[alias.asname or first] = alias.name if alias.asname else first
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                found[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return found


def _dotted(node: ast.expr, aliases: dict[str, str]) -> str:
    """Resolve a chain of attributes to the dotted name of what was imported.

    A bare name that was not imported is a builtin or a name of the module's own; the
    rest (`call.id`, a field named `id`) resolves to nothing.
    """
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
        return ""
    if node.id not in aliases:
        return "" if parts else node.id
    return ".".join([aliases[node.id], *reversed(parts)])


def _iterated(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the expressions that a node walks through in their own order."""
    match node:
        case ast.For(iter=walked) | ast.AsyncFor(iter=walked):
            yield walked
        case ast.comprehension(iter=walked):
            yield walked
        case ast.Starred(value=walked):
            yield walked
        case ast.Call(
            func=ast.Name(id="list" | "tuple" | "enumerate" | "iter" | "zip")
        ):
            yield from node.args
        case ast.Call(func=ast.Attribute(attr="join" | "extend" | "fromkeys")):
            yield from node.args


def _is_set(node: ast.expr) -> bool:
    """Whether an expression is a set by its syntax: a display, a call, an operation."""
    match node:
        case ast.Set() | ast.SetComp():
            return True
        case ast.Call(func=ast.Name(id="set" | "frozenset")):
            return True
        case ast.BinOp(op=ast.BitOr() | ast.BitAnd() | ast.Sub() | ast.BitXor()):
            return _is_set(node.left) or _is_set(node.right)
    return False
