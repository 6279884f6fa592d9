"""Episodes that an agent brackets in its own history, and how they leave the view.

tools: the tool that brackets them. graph: which there are, what builds on what, which is to go next. levels: what is
taken out of a block before all of it goes. shedding: levels applied to an episode, with events.
"""
