"""Models of pydantic that hold times, made wherever tests make them."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

from pydantic import BaseModel, Field, TypeAdapter

from agentsim import Env, reference
from agentsim.pytest_plugin import Sim

TASK = "Is the server well?"


def made() -> type[BaseModel]:
    """Define a model, as a test or an agent does."""

    class Event(BaseModel):
        at: datetime = Field(default_factory=lambda: datetime.now(UTC))
        day: date = date(2020, 2, 3)

    return Event


def check(model: type[BaseModel]) -> None:
    """It reads and writes times, and its schema is that of times."""
    text = '{"at": "2021-02-03T04:05:06Z", "day": "2021-02-03"}'
    read: Any = model.model_validate_json(text)
    assert type(read.at) is datetime
    assert read.at == datetime(2021, 2, 3, 4, 5, 6, tzinfo=UTC)
    again = model.model_validate_json(read.model_dump_json())
    assert again == read
    assert model.model_json_schema()["properties"]["at"]["format"] == "date-time"
    assert TypeAdapter(model).validate_python({"at": read.at}) is not None


def test_models_are_whole_without_a_simulation() -> None:
    """In a test that simulates nothing."""
    check(made())


def test_models_are_whole_around_a_simulation(asked: Sim) -> None:
    """Defined before or after one, used before and after it."""
    before = made()
    check(before)
    asked.run(reference, TASK)
    after = made()
    check(before)
    check(after)
    assert not isinstance(before().model_dump()["at"], str)


def test_models_are_whole_that_an_agent_defines(asked: Sim) -> None:
    """Defined within a run, used there and after it."""
    models: list[type[BaseModel]] = []

    async def agent(env: Env) -> object:
        models.append(made())
        check(models[-1])
        held: Any = models[-1]()
        assert held.at == datetime(2026, 1, 1, tzinfo=UTC)
        return await reference(env)

    asked.run(agent, TASK)
    check(models[-1])
    held: Any = models[-1]()
    assert held.at != datetime(2026, 1, 1, tzinfo=UTC)
