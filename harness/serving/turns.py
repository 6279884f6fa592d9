"""Several episodes in one world: each in a thread of its own, of which one runs at a time, so that nothing races.

An episode runs until it is at something that takes time. When all are, the world goes on to the first thing that ends,
and who is done goes on, in order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import Semaphore, Thread

from harness.serving.world import Doing, Share, World

Play = Callable[[Share], None]


class Stopped(BaseException):
    """Ends an episode of a group that cannot go on. No `Exception`: a strategy must not swallow it."""


class Player:
    """An episode's thread. The turn goes to it by `_go` and comes back by `_back`."""

    def __init__(self, owner: str, play: Play, world: World) -> None:
        self.doing: Doing | None = None  # None once it has ended
        self._owner, self._world = owner, world
        self._error: BaseException | None = None
        self._stopped = self._runs = False
        self._go, self._back = Semaphore(0), Semaphore(0)
        # A daemon: an interrupted process does not wait for the answer of a model.
        self._thread = Thread(target=self._run, args=(play,), name=owner, daemon=True)

    def go_on(self) -> None:
        """Let it run until it is at something, or at its end. Raises what it raises."""
        if not self._thread.is_alive():
            self._thread.start()
        self._runs = True
        self._go.release()
        self._back.acquire()
        self._runs = False
        if self._error is not None:
            self._error.add_note(f"in episode {self._owner}; those that share its time stopped with it")
            raise self._error

    def stop(self) -> None:
        """End it where it stands; where an interrupt came while it ran, as soon as it is at something."""
        self._stopped = True
        self._go.release()
        if self._thread.is_alive() and not self._runs:
            self._thread.join()

    def _run(self, play: Play) -> None:
        self._go.acquire()
        try:
            play(Share(self._world, self._owner, self._rest))
            self._world.leave(self._owner)
        except BaseException as error:  # also a SystemExit: it is raised where the group is played
            self._error = error
        self.doing = None
        self._back.release()

    def _rest(self, doing: Doing) -> None:
        if not self._stopped:
            self.doing = doing
            self._back.release()
            self._go.acquire()
        if self._stopped:
            raise Stopped


def together(world: World, plays: Mapping[str, Play]) -> None:
    """Play them all, each under its name, to their ends. What one of them raises stops the others where they stand, and
    is raised: what they would do later depends on what it would have done.
    """
    players = [Player(owner, play, world) for owner, play in plays.items()]
    try:
        for player in players:
            player.go_on()
        while busy := [(player, player.doing) for player in players if player.doing is not None]:
            over = world.step([doing for _, doing in busy])
            for (player, _), done in zip(busy, over, strict=True):
                if done:
                    player.go_on()
    finally:
        for player in players:
            player.stop()
