"""How the providers are asked and answer: Anthropic's messages, OpenAI's responses and chat, Gemini's generation.

Only as much of each as the agents under test need.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from typing import Any, Protocol

from tests.support.model_answers import Answer, Fail, Reply, Say, Shell, Write

INPUT, OUTPUT, CACHED = 1000, 50, 100
"""Tokens of every answer."""
Json = dict[str, Any]


class Wire(Protocol):
    """One provider's shape of things."""

    def fits(self, path: str) -> bool: ...

    def prompt(self, body: Json) -> str: ...

    def results(self, body: Json) -> int: ...

    def is_aside(self, body: Json) -> bool:
        """Whether this is a small question of the agent's own, such as for a title."""
        ...

    def events(self, reply: Reply, body: Json) -> Iterator[bytes]:
        """The answer as a stream, in pieces; the last one completes it."""
        ...

    def whole(self, reply: Reply, body: Json) -> Json | None:
        """The answer at once, where the question asks for that."""
        ...

    def error(self, failure: Fail) -> Json: ...


def _event(data: Json, name: str | None = None) -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data)}\n\n".encode()


def _texts(parts: object) -> str:
    if isinstance(parts, str):
        return parts
    found = parts if isinstance(parts, list) else []
    return "\n".join(str(part["text"]) for part in found if isinstance(part, dict) and part.get("text"))


class Anthropic:
    def fits(self, path: str) -> bool:
        return path.endswith("/v1/messages")

    def prompt(self, body: Json) -> str:
        return "\n".join(_texts(one["content"]) for one in body["messages"] if one["role"] == "user")

    def results(self, body: Json) -> int:
        parts = [part for one in body["messages"] if isinstance(one["content"], list) for part in one["content"]]
        return sum(part.get("type") == "tool_result" for part in parts)

    def is_aside(self, body: Json) -> bool:
        return not body.get("tools")

    def events(self, reply: Reply, body: Json) -> Iterator[bytes]:
        message = self.message(reply, body)
        blocks = message.pop("content")
        stop = message.pop("stop_reason")
        start = {**message, "content": [], "stop_reason": None, "usage": self._usage(1)}
        yield _event({"type": "message_start", "message": start}, "message_start")
        for index, block in enumerate(blocks):
            yield from self._block(index, block)
        delta = {"type": "message_delta", "delta": {"stop_reason": stop}, "usage": {"output_tokens": OUTPUT}}
        yield _event(delta, "message_delta")
        yield _event({"type": "message_stop"}, "message_stop")

    def whole(self, reply: Reply, body: Json) -> Json | None:
        return None if body.get("stream") else self.message(reply, body)

    def message(self, reply: Reply, body: Json) -> Json:
        content = self._content(reply, body)
        called = any(part["type"] == "tool_use" for part in content)
        return {
            "id": f"msg_{self.results(body)}_{len(body['messages'])}",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": content,
            "stop_reason": "tool_use" if called else "end_turn",
            "stop_sequence": None,
            "usage": self._usage(OUTPUT),
        }

    def error(self, failure: Fail) -> Json:
        kinds = {401: "authentication_error", 429: "rate_limit_error", 529: "overloaded_error"}
        kind = failure.kind or kinds.get(failure.status, "api_error")
        return {"type": "error", "error": {"type": kind, "message": failure.message, **dict(failure.more)}}

    def _block(self, index: int, block: Json) -> Iterator[bytes]:
        if block["type"] == "text":
            begin: Json = {"type": "text", "text": ""}
            delta: Json = {"type": "text_delta", "text": block["text"]}
        else:
            begin = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        for kind, more in (("start", {"content_block": begin}), ("delta", {"delta": delta}), ("stop", {})):
            name = f"content_block_{kind}"
            yield _event({"type": name, "index": index, **more}, name)

    def _content(self, reply: Reply, body: Json) -> list[Json]:
        match reply:
            case Say(text=text):
                return [{"type": "text", "text": text}]
            case Write(path=path, text=text):
                return [self._call(body, "Write", {"file_path": f"{_folder(body)}/{path}", "content": text})]
            case Shell(command=command):
                return [self._call(body, "Bash", {"command": command, "description": "as asked"})]
            case Answer(value=value):
                return [self._call(body, "StructuredOutput", value)]
            case _:
                return []

    def _call(self, body: Json, name: str, given: Json) -> Json:
        return {"type": "tool_use", "id": f"toolu_{self.results(body)}", "name": name, "input": given}

    def _usage(self, output: int) -> Json:
        return {
            "input_tokens": INPUT,
            "output_tokens": output,
            "cache_read_input_tokens": CACHED,
            "cache_creation_input_tokens": 0,
        }


def _folder(body: Json) -> str:
    """The working directory, as the agent tells its model."""
    found = re.search(r"working directory:\s*([^\s\\\"]+)", json.dumps(body), re.IGNORECASE)
    return found[1] if found else "."


class Responses:
    """OpenAI's, for Codex. A model it does not know gets plain functions as tools."""

    def fits(self, path: str) -> bool:
        return path.endswith("/responses")

    def prompt(self, body: Json) -> str:
        items = [item for item in body["input"] if item.get("role") == "user"]
        return "\n".join(_texts(item["content"]) for item in items)

    def results(self, body: Json) -> int:
        return sum(item.get("type") == "function_call_output" for item in body["input"])

    def is_aside(self, body: Json) -> bool:
        return False

    def events(self, reply: Reply, body: Json) -> Iterator[bytes]:
        items = self._items(reply, body)
        yield _event({"type": "response.created", "response": self._response([])})
        for item in items:
            yield _event({"type": "response.output_item.done", "output_index": 0, "item": item})
        yield _event({"type": "response.completed", "response": self._response(items)})

    def whole(self, reply: Reply, body: Json) -> Json | None:
        return None

    def error(self, failure: Fail) -> Json:
        return {"error": {"message": failure.message, "type": failure.kind, **dict(failure.more)}}

    def _response(self, items: list[Json]) -> Json:
        usage = {
            "input_tokens": INPUT,
            "input_tokens_details": {"cached_tokens": CACHED},
            "output_tokens": OUTPUT,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": INPUT + OUTPUT,
        }
        return {"id": "resp_1", "output": items, "usage": usage}

    def _items(self, reply: Reply, body: Json) -> list[Json]:
        match reply:
            case Say(text=text):
                return [self._message(text)]
            case Answer(value=value):
                return [self._message(json.dumps(value))]
            case Write(path=path, text=text):
                return [self._call(body, f"printf %s {shlex.quote(text)} > {shlex.quote(path)}")]
            case Shell(command=command):
                return [self._call(body, command)]
            case _:
                return []

    def _message(self, text: str) -> Json:
        content = [{"type": "output_text", "text": text, "annotations": []}]
        return {"type": "message", "id": "msg_1", "role": "assistant", "content": content}

    def _call(self, body: Json, command: str) -> Json:
        call = f"call_{self.results(body)}"
        given = json.dumps({"cmd": command})
        return {
            "type": "function_call",
            "id": f"fc_{call}",
            "call_id": call,
            "name": "exec_command",
            "arguments": given,
        }


class Gemini:
    def fits(self, path: str) -> bool:
        return ":streamGenerateContent" in path or ":generateContent" in path

    def prompt(self, body: Json) -> str:
        return "\n".join(_texts(one.get("parts")) for one in body["contents"] if one.get("role") == "user")

    def results(self, body: Json) -> int:
        parts = [part for one in body["contents"] for part in one.get("parts", [])]
        return sum("functionResponse" in part for part in parts)

    def is_aside(self, body: Json) -> bool:
        return not body.get("tools")

    def events(self, reply: Reply, body: Json) -> Iterator[bytes]:
        yield _event(self._chunk(self._parts(reply), None))
        yield _event(self._chunk([], "STOP"))

    def whole(self, reply: Reply, body: Json) -> Json | None:
        return None

    def error(self, failure: Fail) -> Json:
        kinds = {401: "UNAUTHENTICATED", 429: "RESOURCE_EXHAUSTED", 500: "INTERNAL"}
        status = failure.kind or kinds.get(failure.status, "UNAVAILABLE")
        return {"error": {"code": failure.status, "message": failure.message, "status": status, **dict(failure.more)}}

    def _chunk(self, parts: list[Json], finish: str | None) -> Json:
        candidate: Json = {"content": {"role": "model", "parts": parts or [{"text": ""}]}, "index": 0}
        if finish:
            candidate["finishReason"] = finish
        usage = {
            "promptTokenCount": INPUT,
            "candidatesTokenCount": OUTPUT,
            "cachedContentTokenCount": CACHED,
            "totalTokenCount": INPUT + OUTPUT,
        }
        return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "made-up"}

    def _parts(self, reply: Reply) -> list[Json]:
        match reply:
            case Say(text=text):
                return [{"text": text}]
            case Answer(value=value):
                return [{"text": json.dumps(value)}]
            case Write(path=path, text=text):
                return [{"functionCall": {"name": "write_file", "args": {"file_path": path, "content": text}}}]
            case Shell(command=command):
                return [{"functionCall": {"name": "run_shell_command", "args": {"command": command}}}]
            case _:
                return []


class Chat:
    """OpenAI's older one, for OpenCode."""

    def fits(self, path: str) -> bool:
        return path.endswith("/chat/completions")

    def prompt(self, body: Json) -> str:
        return "\n".join(_texts(one["content"]) for one in body["messages"] if one["role"] == "user")

    def results(self, body: Json) -> int:
        return sum(one["role"] == "tool" for one in body["messages"])

    def is_aside(self, body: Json) -> bool:
        return not body.get("tools")

    def events(self, reply: Reply, body: Json) -> Iterator[bytes]:
        delta = self._delta(reply, body)
        yield _event(self._chunk({"role": "assistant", **delta}, None))
        yield _event(self._chunk({}, "tool_calls" if "tool_calls" in delta else "stop"))
        yield b"data: [DONE]\n\n"

    def whole(self, reply: Reply, body: Json) -> Json | None:
        return None

    def error(self, failure: Fail) -> Json:
        return {"error": {"message": failure.message, "type": failure.kind or "server_error", **dict(failure.more)}}

    def _chunk(self, delta: Json, finish: str | None) -> Json:
        chunk: Json = {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "m",
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        }
        if finish:
            chunk["usage"] = {"prompt_tokens": INPUT, "completion_tokens": OUTPUT, "total_tokens": INPUT + OUTPUT}
        return chunk

    def _delta(self, reply: Reply, body: Json) -> Json:
        match reply:
            case Say(text=text):
                return {"content": text}
            case Answer(value=value):
                return {"content": json.dumps(value)}
            case Write(path=path, text=text):
                return self._call(body, "write", {"filePath": path, "content": text})
            case Shell(command=command):
                return self._call(body, "bash", {"command": command, "description": "as asked"})
            case _:
                return {"content": ""}

    def _call(self, body: Json, name: str, given: Json) -> Json:
        function = {"name": name, "arguments": json.dumps(given)}
        return {
            "tool_calls": [{"index": 0, "id": f"call_{self.results(body)}", "type": "function", "function": function}]
        }


WIRES: tuple[Wire, ...] = (Anthropic(), Responses(), Gemini(), Chat())
