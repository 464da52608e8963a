"""Events to and from their stored form. Each type has a version; older ones are brought up to date as they are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, get_args

import msgspec

from weft.errors import StoreError
from weft.model.events import EVENT_VERSION, AnyEvent
from weft.model.ids import JobKey

Raw: TypeAlias = dict[str, Any]
Upgrade: TypeAlias = Callable[[Raw], Raw]

TYPES: tuple[type[msgspec.Struct], ...] = get_args(AnyEvent)
VERSIONS: Mapping[str, int] = {str(kind.__struct_config__.tag): EVENT_VERSION for kind in TYPES}
"""The version each type is written in now."""
UPGRADES: Mapping[tuple[str, int], Upgrade] = {}
"""(type, version) → what makes the next version of it. A new field with a default needs none and no new version."""


class Stored(msgspec.Struct, frozen=True):
    """An event as its row has it."""

    type: str
    version: int
    body: str


class Codec:
    """Encodes in the current versions; decodes every version there ever was."""

    def __init__(self, versions: Mapping[str, int] = VERSIONS, upgrades: Mapping[tuple[str, int], Upgrade] = UPGRADES):
        self._versions = versions
        self._upgrades = upgrades
        self._encoder = msgspec.json.Encoder()
        self._decoder: msgspec.json.Decoder[AnyEvent] = msgspec.json.Decoder(AnyEvent)

    def encode(self, event: AnyEvent) -> Stored:
        tag = type_of(event)
        try:
            body = self._encoder.encode(event).decode()
        except UnicodeEncodeError as error:
            raise StoreError(f"an event `{tag}` holds text that is not Unicode: {error.object!r}") from error
        return Stored(tag, self._versions[tag], body)

    def decode(self, stored: Stored) -> AnyEvent:
        known = self._versions.get(stored.type)
        if known is None or stored.version > known:
            raise StoreError(
                f"an event `{stored.type}` of version {stored.version} is from a newer Weft", hint="upgrade Weft"
            )
        if stored.version == known:
            return self._decoder.decode(stored.body)
        return self._upgraded(stored, known)

    def _upgraded(self, stored: Stored, known: int) -> AnyEvent:
        raw: Raw = msgspec.json.decode(stored.body)
        for version in range(stored.version, known):
            raw = self._upgrades[stored.type, version](raw)
        event: AnyEvent = msgspec.convert(raw, AnyEvent)
        return event


def type_of(event: AnyEvent) -> str:
    return str(event.__struct_config__.tag)


def job_of(event: AnyEvent) -> JobKey | None:
    """The job an event is about, where it is about one."""
    attempt = getattr(event, "attempt", None)
    job: JobKey | None = attempt.job if attempt is not None else getattr(event, "job", None)
    return job
