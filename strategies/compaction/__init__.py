"""Summarising old messages by a model: what every summarising strategy has in common.

texts: messages as text, borders of subtasks, identifiers. prompts: what the compactor is told. asking: requests that
fit its window, checks of its replies, what happens when one is refused. layers: levels of summaries, and how new
messages are folded into them. triggers: when, and how much. shell: all of it over a history, with its state.

What asks is a generator: it yields the requests that may be made at once and is sent their replies. `layers.blocking`
drives it while the agent waits; a driver that does not wait can send the replies later.
"""
