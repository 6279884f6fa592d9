"""The words everyone shares: frozen records and the protocols between harness, strategies and tasks.

Standard library only. A strategy or a task needs no other import from the harness.
Tokens are counted by the tokenizer of the run; steps count from 1; ids are strings that the harness gives.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, overload, runtime_checkable

Role = Literal["system", "user", "assistant", "tool"]
Purpose = Literal["retrieve", "open", "close"]
Op = Literal["value", "join", "first", "last", "absent", "except", "count", "sum"]
Verdict = Literal["right", "stale", "wrong", "abstained"]

# ---------------------------------------------------------------- messages


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call of an assistant message. The harness gives ids, unique in an episode.

    broken: the text that a model wrote in place of arguments, where it is no JSON object. Such a call is never made.
    """

    id: str
    name: str
    arguments: Mapping[str, Any]
    broken: str | None = None


@dataclass(frozen=True, slots=True)
class Labels:
    """What a task declares about a message; present only under `labels: declared`."""

    kind: str
    uses: tuple[str, ...] = ()
    provides: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Message:
    """One entry of the history, or a message that a strategy made for its view.

    answers: id of the call that a tool message answers.
    sources: ids of the history messages that a made message stands for; () = original.
    opaque: signed reasoning or vendor items, kept whole and counted.
    """

    id: str
    role: Role
    content: str
    calls: tuple[Call, ...] = ()
    answers: str | None = None
    author: str | None = None
    labels: Labels | None = None
    sources: tuple[str, ...] = ()
    opaque: Any = None


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as the model sees it. `parameters` is a JSON schema of an object.

    purpose: what the tool is for, so that any reader can use it. A call of an environment tool with
    purpose "retrieve" re-reads: it costs a turn, and is no step. A string parameter with a `pattern` takes a
    handle of that form; one without takes free text.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    purpose: Purpose | None = None


# ---------------------------------------------------------------- model calls


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider reported them; None = not reported."""

    input: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    output: int | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """better: a strategy's, for the better one of its own two models, where it has two."""

    view: tuple[Message, ...]
    tools: tuple[Tool, ...]
    seed: int
    max_output: int
    schema: Mapping[str, Any] | None = None
    options: Mapping[str, Any] | None = None
    better: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered.

    finish: stop | calls | length | refusal | failed, or the provider's own word. edits: what its server did to the
    context. attempts: requests that it took; only the last one is counted. cached: an earlier answer to the very same
    request, not asked again.
    """

    message: Message
    usage: Usage = Usage()
    finish: str = "stop"
    edits: tuple[Mapping[str, Any], ...] = ()
    attempts: int = 1
    cached: bool = False


class Model(Protocol):
    def complete(self, request: Request) -> Reply: ...


# ---------------------------------------------------------------- episodes


@dataclass(frozen=True, slots=True)
class Brief:
    """What an agent starts from: the system text, the task message, the environment's tools."""

    system: str
    task: str
    tools: tuple[Tool, ...]
    agent: str | None = None
    session: int = 0


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened, recorded and never shown to a model.

    An environment reports each due goal as `Event("goal", {"step": int, "met": bool, "used": {fact id: Verdict}})`.
    """

    kind: str
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Turn:
    """What an environment answers.

    messages: answers (`role="tool"`, `answers=` the call's id) and further user messages, ids left empty.
    agent: who acts next. brief: a session, or the next instance of a chain, begins here; with `new_history` in an
    empty history, else in the same one. seconds: how long the tools took (simulated, for generated tasks).
    """

    messages: tuple[Message, ...] = ()
    done: bool = False
    agent: str | None = None
    brief: Brief | None = None
    new_history: bool = False
    events: tuple[Event, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Fact:
    """A key bound to a value that the task states and may need later.

    stated: the step whose answer states it (0 = before the first step). superseded: the step whose answer
    replaces it. source: the handle under which it can be read again, None = told once.
    """

    id: str
    key: str
    value: str
    kind: str
    stated: int
    superseded: int | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Goal:
    """What the action at `step` must get right, the facts (ids) that it needs, and how they combine."""

    step: int
    op: Op
    facts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Schedule:
    """Facts and goals of an instance: fixed before any strategy runs, hidden from strategies and models."""

    facts: tuple[Fact, ...]
    goals: tuple[Goal, ...]


@dataclass(frozen=True, slots=True)
class Instance:
    """One problem of a task. `id` is unique within the task and safe as a file name."""

    id: str
    seed: int = 0
    data: Any = None


class Environment(Protocol):
    """One episode of an instance. `step` gets the reply without the strategy's own calls."""

    def reset(self) -> Turn: ...
    def step(self, reply: Message) -> Turn: ...
    def schedule(self) -> Schedule | None:
        """Facts and goals; None = unknown, the harness finds needs in the history."""
        ...

    def score(self) -> Mapping[str, float]: ...
    def close(self) -> None: ...


@runtime_checkable
class Recorded(Protocol):
    """An environment that plays back a recorded run also says what the agent did next.

    `replies` holds the recorded assistant messages in order; nobody is asked. `played`: how many were already stepped,
    so that a resumed episode goes on with the right one.
    """

    replies: Sequence[Reply]
    played: int


@runtime_checkable
class Volatile(Protocol):
    """An environment whose answers hold times and addresses, so that the same actions are answered in other words.

    A resumed episode does its actions again, compares the events of kind "ran", and takes the answers of the record.
    """

    volatile: bool


@runtime_checkable
class Leaves(Protocol):
    """An environment whose episode leaves something behind (a patch), by name; asked once, however it ended."""

    def left(self) -> Mapping[str, str]: ...


@runtime_checkable
class KeepsRaw(Protocol):
    """An environment that keeps in files beside the record what was said before it was cleaned and cut."""

    def keep_raw(self, folder: str) -> None:
        """Told before `reset`, once. The folder is this episode's own; it need not be there yet."""
        ...


class Task(Protocol):
    grammar: Grammar | None

    def instances(self) -> Sequence[Instance]: ...
    def open(self, instance: Instance, seed: int) -> Environment: ...


@dataclass(frozen=True, slots=True)
class Grade:
    """What an outside judge says of what an episode left. success: 0 to 1; None = it could not be judged."""

    status: str
    success: float | None
    reason: str = ""


@runtime_checkable
class Graded(Protocol):
    """A task whose results a judge gives afterwards. left: by instance, what its episode left; folder: the judge's."""

    def grade(
        self, left: Mapping[str, Mapping[str, str]], folder: str, workers: int
    ) -> Mapping[str, Mapping[str, Grade]]: ...


# ---------------------------------------------------------------- what texts say (for the scripted reader)


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement found in a text: `key` is bound to `value`. `replaces`: the former value, when the text names it."""

    key: str
    value: str
    replaces: str | None = None


@dataclass(frozen=True, slots=True)
class Slot:
    """One argument of the next action, computed from the claims about `keys`.

    value: the newest value of keys[0] · join: the newest values of all keys, joined by `joint` · first, last: which of
    `keys` was stated first, last · absent: the one of `keys` about which nothing was stated · except: the one of
    `keys` whose newest value is not `operand` · count: how many of `keys` have `operand` as newest value · sum:
    the sum of all values ever stated for keys[0] (a chain of updates). source: a handle to re-read, if the text names
    one. default: the argument that the text itself suggests, if it does; taken by a reader who knows nothing against
    it.
    """

    argument: str
    op: Op
    keys: tuple[str, ...]
    operand: str = ""
    joint: str = ""
    source: str | None = None
    default: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """What the newest instruction of a text asks for: a call of `tool` with fixed arguments and open slots."""

    tool: str
    slots: tuple[Slot, ...]
    fixed: Mapping[str, Any] = field(default_factory=dict)
    subtask: str | None = None


class Grammar(Protocol):
    """How the texts of a task are read. Knows the wording, never the facts of an instance."""

    def claims(self, text: str) -> Sequence[Claim]: ...
    def question(self, text: str) -> Question | None: ...


# ---------------------------------------------------------------- strategies


class History(Protocol):
    """The whole, append-only log of one agent. Read only; `pinned` = the system and the current task message."""

    @property
    def pinned(self) -> tuple[Message, Message]: ...
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: int, /) -> Message: ...
    @overload
    def __getitem__(self, index: slice, /) -> Sequence[Message]: ...
    def __iter__(self) -> Iterator[Message]: ...


@dataclass(frozen=True, slots=True)
class Entry:
    """A shared value. version: 1 for the first one under its key. author: the agent that wrote it.

    conflict: it was written over another version than its author knew. A strategy notes that as an event.
    """

    value: str
    version: int
    author: str | None = None
    conflict: bool = False


class Shared(Protocol):
    """What the agents of an episode share; each has a strategy of its own, and acts alone while it acts."""

    def keys(self) -> Sequence[str]: ...
    def get(self, key: str) -> Entry | None: ...
    def put(self, key: str, value: str, base: int) -> Entry:
        """Write over version `base` (0 = nothing was there). The newest wins; the entry says whether that was one."""
        ...


class Kit(Protocol):
    """What a strategy is lent for an episode. Counts, answers of its own model and events are metered and recorded."""

    rng: random.Random

    @property
    def shared(self) -> Shared: ...

    def count(self, messages: Sequence[Message]) -> int:
        """Tokens of the messages in a request, each message counted once in an episode."""
        ...

    def ask(self, request: Request) -> Reply:
        """A blocking call of the strategy's own model (`compactor`), billed to the strategy."""
        ...

    def ask_all(self, requests: Sequence[Request]) -> Sequence[Reply]:
        """Several such calls made at once: the agent waits for the slowest, as far as there are slots for them."""
        ...

    def ask_later(self, request: Request, priority: float = 0.0) -> int:
        """A call that the agent does not wait for: a ticket to poll. Where several wait, the highest priority first."""
        ...

    def poll(self, ticket: int) -> Reply | None:
        """The answer once it is there; `finish="failed"` for a call that failed."""
        ...

    def queue(self) -> int:
        """Background calls that wait for a slot, those of other episodes on the same slots included."""
        ...

    def clock(self) -> float:
        """Seconds since the episode began, simulated or real; recorded where they are real."""
        ...

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]: ...

    def event(self, kind: str, trigger: str, sources: Sequence[str] = ()) -> None:
        """Note a compaction, eviction batch, focus or memory write, with the ids that it covers."""
        ...


class Strategy(Protocol):
    """Chooses what the model sees.

    `compose` gets the history and the most tokens that the view's messages may have (schemas and chat overhead are
    already taken off). It returns messages of the history, unchanged and in order, and messages of its own. A strategy
    that is not `Persistent` composes from the history alone: a fresh instance gives the same view.
    """

    def reset(self, kit: Kit, brief: Brief, saved: bytes | None = None) -> None: ...
    def compose(self, history: History, budget: int) -> Sequence[Message]: ...


@runtime_checkable
class MemoryTools(Protocol):
    """Optional: tools that the strategy offers to the model and answers itself.

    calls_in: the calls that a text asks for or offers by handle; those of a reply without calls are made. find: what
    the store holds about a key, to measure.
    """

    @property
    def tools(self) -> tuple[Tool, ...]: ...
    def answer(self, call: Call) -> Message: ...
    def calls_in(self, text: str) -> Sequence[Call]: ...
    def find(self, key: str) -> Sequence[Message]: ...


@runtime_checkable
class Persistent(Protocol):
    """Optional: the whole state as bytes, loaded through `reset(saved=)`."""

    def export(self) -> bytes: ...


@runtime_checkable
class Unlimited(Protocol):
    """Optional: the budget does not apply (the `full` reference)."""

    unlimited: bool


@runtime_checkable
class Vendor(Protocol):
    """Optional: the provider's server manages the context. The view is the whole history; the budget is held against
    the input that the server reports. provider: whose models can do that ("openai", "anthropic").
    """

    provider: str

    def options(self, budget: int) -> Mapping[str, Any]:
        """Fields of each request. budget: most tokens of a request's input."""
        ...
