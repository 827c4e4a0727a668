#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A model on loopback: speaks the protocols of Anthropic, OpenAI and Gemini.

mock_api.py LOG COMMAND: prints its port. The first answer of a conversation calls the shell tool with COMMAND, the
next one is the text "mock: done". LOG gets one JSON object for each request: path, the last result of a tool, and hints of cordon anywhere.
"""
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LOG, COMMAND = sys.argv[1], sys.argv[2]


def texts(value):
    """All strings in a JSON value, in order."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [text for item in value for text in texts(item)] if isinstance(value, list) else []


def anthropic_result(body):
    blocks = [b for m in body.get("messages", []) if isinstance(m.get("content"), list) for b in m["content"]]
    found = [b for b in blocks if b.get("type") == "tool_result"]
    return "\n".join(texts(found[-1].get("content"))) if found else None


def anthropic_tool(body):
    """The tool that runs shell commands, by its name."""
    names = [tool.get("name") for tool in body.get("tools", [])]
    return next((name for name in ("Bash", "bash") if name in names), None)


def anthropic(body):
    tool, result = anthropic_tool(body), anthropic_result(body)
    calls = tool is not None and result is None
    block = {"type": "tool_use", "id": "toolu_1", "name": tool, "input": {}} if calls else {"type": "text", "text": ""}
    delta = ({"type": "input_json_delta", "partial_json": json.dumps({"command": COMMAND, "description": "mock"})}
             if calls else {"type": "text_delta", "text": "mock: done"})
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": body.get("model", "mock"),
               "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
    stop = "tool_use" if calls else "end_turn"
    if not body.get("stream"):
        whole = dict(block, input=json.loads(delta["partial_json"])) if calls else {"type": "text", "text": "mock: done"}
        return None, dict(message, content=[whole], stop_reason=stop)
    return [("message_start", {"type": "message_start", "message": message}),
            ("content_block_start", {"type": "content_block_start", "index": 0, "content_block": block}),
            ("content_block_delta", {"type": "content_block_delta", "index": 0, "delta": delta}),
            ("content_block_stop", {"type": "content_block_stop", "index": 0}),
            ("message_delta", {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None},
                               "usage": usage}),
            ("message_stop", {"type": "message_stop"})], None


def openai_result(body):
    items = body.get("input") if isinstance(body.get("input"), list) else []
    found = [i for i in items if str(i.get("type", "")).endswith("_call_output")]
    return "\n".join(texts(found[-1].get("output"))) if found else None


OPENAI_TOOLS = {
    "exec_command": lambda: {"cmd": COMMAND},
    "shell_command": lambda: {"command": COMMAND},
    "shell": lambda: {"command": ["bash", "-lc", COMMAND]},
}


def openai(body):
    names = [tool.get("name") for tool in body.get("tools", [])]
    tool = next((name for name in OPENAI_TOOLS if name in names), None)
    if tool is not None and openai_result(body) is None:
        item = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": tool,
                "arguments": json.dumps(OPENAI_TOOLS[tool]())}
    else:
        item = {"type": "message", "id": "msg_1", "role": "assistant",
                "content": [{"type": "output_text", "text": "mock: done", "annotations": []}]}
    usage = {"input_tokens": 1, "input_tokens_details": None, "output_tokens": 1, "output_tokens_details": None,
             "total_tokens": 2}
    answer = {"id": "resp_1", "object": "response", "status": "completed", "output": [item], "usage": usage}
    return [("response.created", {"type": "response.created", "response": {"id": "resp_1"}}),
            ("response.output_item.done", {"type": "response.output_item.done", "output_index": 0, "item": item}),
            ("response.completed", {"type": "response.completed", "response": answer})], None


def gemini_result(body):
    parts = [p for c in body.get("contents", []) for p in c.get("parts", [])]
    found = [p["functionResponse"] for p in parts if "functionResponse" in p]
    return "\n".join(texts(found[-1].get("response"))) if found else None


def gemini(body):
    names = [d.get("name") for t in body.get("tools", []) for d in t.get("functionDeclarations", [])]
    if "run_shell_command" in names and gemini_result(body) is None:
        part = {"functionCall": {"name": "run_shell_command", "args": {"command": COMMAND, "description": "mock"}}}
    elif body.get("generationConfig", {}).get("responseMimeType") == "application/json":
        part = {"text": json.dumps({"reasoning": "mock", "model_choice": "flash", "next_speaker": "user",
                                    "complexity_reasoning": "mock", "complexity_score": 1})}
    else:
        part = {"text": "mock: done"}
    return [(None, {"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
                    "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}})], None


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def note(self, result, body=None):
        hints = [text for text in texts(body) if "The sandbox refused" in text]
        with open(LOG, "a", encoding="utf-8") as log:
            log.write(json.dumps({"path": self.path, "result": result, "hints": hints}) + "\n")

    def answer(self, kind, data):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        self.note(None)
        self.answer("application/json", b'{"data": [], "models": []}')

    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            body = json.loads(raw)
        except ValueError:
            body = {}
        if not isinstance(body, dict):
            body = {}
        path = self.path.split("?")[0]
        speaks = [("/messages", anthropic, anthropic_result), ("/responses", openai, openai_result),
                  ("GenerateContent", gemini, gemini_result), (":generateContent", gemini, gemini_result)]
        for end, answer, result in speaks:
            if path.endswith(end):
                self.note(result(body), body)
                events, whole = answer(body)
                if path.endswith(":generateContent"):
                    events, whole = None, events[0][1]
                if whole is not None:
                    return self.answer("application/json", json.dumps(whole).encode())
                lines = [("event: %s\n" % name if name else "") + "data: %s\n\n" % json.dumps(data)
                         for name, data in events]
                return self.answer("text/event-stream", "".join(lines).encode())
        self.note(None)
        return self.answer("application/json", b'{"input_tokens": 1, "totalTokens": 1}')


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
