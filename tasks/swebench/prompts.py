"""What every agent is told, whatever its strategy: the same core for all arms."""

SYSTEM = """You are a software engineer who works alone in a shell. You are given a repository and an issue. \
Change the repository so that the issue is solved; nobody answers questions."""

TASK = """The repository {repo} is checked out in {folder}. Solve this issue:

<issue>
{issue}
</issue>

Find out where the behaviour comes from, reproduce it, change the code that is responsible, and check that the \
issue is gone and that the tests around it still pass. Change no existing tests; hidden tests will be run on what you \
hand in. Remove files that you made only to try something. Call submit when you are done."""
