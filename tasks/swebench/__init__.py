"""SWE-bench: real issues in real repositories, in containers, graded by the official harness."""
