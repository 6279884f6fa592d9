"""`isolation: process`: the strategy of an episode lives in a process of its own, which is told messages and no more.

What crosses the socket: the strategy's settings, the brief, the state of its random generator, the messages of its
history as they come, the budget, the calls that it has to answer, the keys that a fork looks for after the episode,
counts, and what its own model and the embedder answer. Records are byte-equal with and without it.

Holds against a strategy that looks round in its interpreter (objects, frames, modules, environment, arguments, open
files, working folder): facts, schedule, task, instance, seeds, the folder of results and the later messages are not in
its process, and nothing that it does to its modules or its process reaches the episode.

Does not hold against a strategy that leaves its process: it runs as the same user on the same machine, so it can read
the disk (the records of this run, the sources of the task), look into other processes where the system lets it (their
environment too, with a salt that was given there), and use the network. Nor against one that regenerates a public
instance: tasks can be imported, and their seeds can be tried until the messages match. Against the first a container
helps, against the second a salt in the instances.

The kit is for the strategy's own thread, while it is asked something. A strategy that ends its process, or is silent
for longer than `worker_seconds`, has failed; a process killed by SIGKILL, as by a system short of memory, is no result.
"""
