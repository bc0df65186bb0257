"""The one vocabulary of events: what a trace is made of (spec R11, T5).

Two kinds of witnesses write the same kinds. `who` tells them apart: `boundary` is what
surrounds the agent and is there for any runtime; `runtime` is what a runtime says of
itself (R11); `world`, `fault` and `engine` say what the outside did. Invariants judge
by the boundary. Events are slotted and not frozen, since freezing is four times dearer
and happens on the hot path; once in a trace they are not changed.
"""
