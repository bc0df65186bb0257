"""A reviewer on the Responses API: replies are lists of items, and have a status."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from openai import AsyncOpenAI, OpenAI, OpenAIError
from openai.types.responses import FunctionToolParam, Response

from agentsim.core import Env
from tests.agents.reviewers.forge import PROMPT, TOOLS
from tests.agents.reviewers.reviewer import BlockingReviewer, Result, Reviewer, failed
from tests.agents.sdk import End

FUNCTIONS: list[FunctionToolParam] = [
    {
        "type": "function",
        "name": name,
        "description": text,
        "parameters": schema,
        "strict": False,
    }
    for name, text, schema in TOOLS
]
"""Not strict: of strict ones the SDK's helper reads the arguments itself, and raises."""


def ending(response: Response) -> End | None:
    """How a review ends with this response, or None where it goes on.

    There is no finish reason: the status comes first, then the items.
    """
    details = response.incomplete_details
    if response.status == "incomplete":
        reason = details.reason if details is not None else None
        if reason == "max_output_tokens":
            return End("truncated", response.output_text)
        return End("failed", f"the response was ended by {reason}")
    if response.status != "completed":
        return End("failed", f"the response is {response.status}")
    refusal = refusal_of(response)
    if refusal:
        return End("refused", refusal)
    if calls_of(response):
        return None
    if not response.output_text.strip():
        return End("failed", "the model gave no answer")
    return End("done", response.output_text)


def refusal_of(response: Response) -> str:
    """The words in which the model refuses, or none."""
    return "".join(
        part.refusal
        for item in response.output
        if item.type == "message"
        for part in item.content
        if part.type == "refusal"
    )


def calls_of(response: Response) -> list[Any]:
    """The calls of the response."""
    return [item for item in response.output if item.type == "function_call"]


def with_own_ids(response: Response, items: Sequence[Any]) -> list[Any]:
    """The items, where calls without an id, or with one that was there, get an own one.

    OpenAI's own service always gives ids; others that speak its protocol may not.
    """
    seen = {getattr(item, "call_id", None) for item in items}
    for number, call in enumerate(calls_of(response)):
        if not call.call_id or call.call_id in seen:
            call.call_id = f"own_{len(items)}_{number}"
        seen.add(call.call_id)
    return response.output


class ResponsesReviewer(Reviewer):
    """Sends the whole history with each request; its siblings replace one step."""

    def connect(self, env: Env) -> None:
        """Take the async client."""
        self.client: AsyncOpenAI = env.openai()

    async def review(self, task: str) -> End:
        """Ask, keep the items, answer the calls, and again."""
        self.input: list[Any] = [{"role": "user", "content": task}]
        for _ in range(self.steps):
            try:
                response = await self.ask()
            except OpenAIError as error:  # after the SDK's own retries
                return failed(error)
            end = self.end(response)
            if end is not None:
                return end
            self.keep(response)
            await self.work(response)
        return End("max_iterations", f"no end after {self.steps} steps")

    async def ask(self) -> Response:
        """One request."""
        return await self.client.responses.create(
            model=self.model, instructions=PROMPT, input=self.input, tools=FUNCTIONS
        )

    def end(self, response: Response) -> End | None:
        """How the review ends with this response, or None where it goes on."""
        return ending(response)

    def keep(self, response: Response) -> None:
        """Append all items: reasoning, messages, calls."""
        self.input += with_own_ids(response, self.input)

    async def work(self, response: Response) -> None:
        """Answer each call with an item of its own."""
        for call in calls_of(response):
            self.tell(call, await self.answer(call))

    async def answer(self, call: Any) -> Result:  # noqa: ANN401 - an item of the SDK
        """Run one call."""
        return await self.use(call.call_id, call.name, call.arguments)

    def tell(self, call: Any, result: Result) -> None:  # noqa: ANN401
        """Append the output, under the `call_id` of its call."""
        self.input.append(
            {
                "type": "function_call_output",
                "call_id": call.call_id,
                "output": result.text,
            }
        )


class ChainedReviewer(ResponsesReviewer):
    """Lets the service keep the history: a request has only what is new."""

    previous: str | None = None

    async def ask(self) -> Response:
        """One request, which goes on from the last response."""
        response = await self.client.responses.create(
            model=self.model,
            instructions=PROMPT,  # these are not kept by the service
            input=self.input,
            tools=FUNCTIONS,
            previous_response_id=self.previous,
        )
        self.previous = response.id
        return response

    def keep(self, response: Response) -> None:
        """Begin anew: the service has what was sent, and its own response."""
        self.input = []


class BlockingResponsesReviewer(BlockingReviewer):
    """The same in one function, on the blocking client."""

    def connect(self, env: Env) -> None:
        """Take the blocking client."""
        self.client: OpenAI = env.openai_sync()

    def review(self, task: str) -> End:
        """Ask, keep the items, answer the calls, and again."""
        items: list[Any] = [{"role": "user", "content": task}]
        for _ in range(self.steps):
            try:
                response = self.ask(items)
            except OpenAIError as error:
                return failed(error)
            end = ending(response)
            if end is not None:
                return end
            items += with_own_ids(response, items)
            for call in calls_of(response):
                result = self.use(call.call_id, call.name, call.arguments)
                items.append(
                    {
                        "type": "function_call_output",
                        "call_id": call.call_id,
                        "output": result.text,
                    }
                )
        return End("max_iterations", f"no end after {self.steps} steps")

    def ask(self, items: list[Any]) -> Response:
        """One request."""
        return self.client.responses.create(
            model=self.model, instructions=PROMPT, input=items, tools=FUNCTIONS
        )
