"""Takes an episode out of the blocks that are kept, level by level, and says so in events."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from harness.contract import Kit, Message
from strategies.blocks import Block
from strategies.episodes.graph import Episode, Episodes
from strategies.episodes.levels import Level, Stripping
from strategies.kept import Kept


class Shedding:
    """levels: in which order. descriptions: of an exploration its description stays. pin_user: user messages stay.

    told: the newest turn of which all was told: up to there, a history that is read anew tells only of messages that no
    event has named.
    """

    def __init__(
        self, kit: Kit, stripping: Stripping, levels: Sequence[Level], descriptions: bool, pin_user: bool
    ) -> None:
        self._kit = kit
        self._stripping = stripping
        self._levels = levels
        self._descriptions = descriptions
        self._pin_user = pin_user
        self.told = -1
        self._named: set[str] = set()  # ids of messages that an event has named

    def take(self, kept: Kept, episodes: Episodes, episode: Episode) -> None:
        """Apply the next level to an episode."""
        if episode.level < len(self._levels):
            level = self._levels[episode.level]
            episode.level += 1
            if level == "episode":
                self._remove(kept, episodes, episode)
            elif level != "reasoning" or episode.kind == "expl":
                self._strip(kept, episodes, episode, level)
        if episode.level == len(self._levels):
            episodes.evict(episode)

    def drop(self, kept: Kept, gone: Collection[int], trigger: str, kind: str = "evict") -> None:
        """Drop the blocks that start at these places."""
        ids = [name for block in kept.blocks if block.start in gone for name in block.ids]
        kept.retain([block for block in kept.blocks if block.start not in gone], trigger, kind)
        self._tell(kept, kind, trigger, ids)

    def unmet(self, turn: int) -> None:
        """Say that what may leave does not suffice."""
        if turn > self.told:
            self._kit.event("unmet", "protected", [])

    def _strip(self, kept: Kept, episodes: Episodes, episode: Episode, level: Level) -> None:
        changed: list[str] = []
        gone: set[int] = set()
        for place, block in self._own(kept, episodes, episode):
            new = self._stripping.strip(block, level, self._learned(episodes, block))
            if new is None:
                gone.add(block.start)
            elif new is not block:
                left = [old for old in block.messages if not any(old is now for now in new.messages)]
                changed += [name for old in left for name in old.sources or (old.id,)]
                kept.rewrite(place, new)
        self._tell(kept, "evict", level, changed)
        self.drop(kept, gone, level)

    def _remove(self, kept: Kept, episodes: Episodes, episode: Episode) -> None:
        gone = {block.start: block for _, block in self._own(kept, episodes, episode)}
        self.drop(kept, gone, "episode")
        for start, block in gone.items():
            explored = episodes.learned_at(start) if self._descriptions else ()
            if explored:
                text = "\n".join(f"[explored] {one.name}:\n{one.description}" for one in explored)
                made = Message(f"cwl:learned:{block.ids[0]}", "user", text, sources=tuple(dict.fromkeys(block.ids)))
                kept.insert(Block((made,), self._kit.count((made,)), block.turn, block.start))

    def _learned(self, episodes: Episodes, block: Block) -> dict[str, str]:
        """Descriptions of the explorations that were ended in this block, by the call that ended them."""
        return {one.ended: one.description for one in episodes.learned_at(block.start)}

    def _own(self, kept: Kept, episodes: Episodes, episode: Episode) -> list[tuple[int, Block]]:
        """Its blocks that are in view and may leave, with their places among those kept."""
        end = episode.start if episode.end is None else episode.end
        return [
            (place, block)
            for place, block in enumerate(kept.blocks)
            if episode.start <= block.start <= end
            and not (block.user and (self._pin_user or block.messages[0].sources))
            and episodes.owner(block.start) is episode
        ]

    def _tell(self, kept: Kept, kind: str, trigger: str, ids: Sequence[str]) -> None:
        """Name what left or changed, also what had changed before: an eviction's own notes name each message once."""
        kept.take_notes()
        names = [name for name in dict.fromkeys(ids) if kept.turn > self.told or name not in self._named]
        self._named.update(names)
        if names:
            self._kit.event(kind, trigger, names)
