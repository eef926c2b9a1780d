"""A stand-in for a model behind the OpenAI chat API, on loopback: it looks something up before each answer."""
from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class ChatServer:
    """Serves while the ``with`` block runs, and remembers the body of every request.

    It answers a user's message with a call of the first tool offered, a tool's result with a sentence, and a request that
    offers no tools with a summary.
    """

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if self.path != "/v1/chat/completions":
                    self.send_error(404)
                    return
                server.requests.append(body)
                answer = json.dumps(server.completion(body, len(server.requests))).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._http.server_port}/v1"

    def __enter__(self) -> ChatServer:
        threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()

    @staticmethod
    def completion(body: dict[str, Any], number: int) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": None}
        finish_reason = "stop"
        if not body.get("tools"):
            message["content"] = "The user plans a garden on heavy clay, and asked about carrots first."
        elif body["messages"][-1]["role"] == "tool":
            message["content"] = "Sow when the soil has warmed. 🌱"
        else:
            name = body["tools"][0]["function"]["name"]
            function = {"name": name, "arguments": json.dumps({"topic": body["messages"][-1]["content"]})}
            message["tool_calls"] = [{"id": f"call_{number}", "type": "function", "function": function}]
            finish_reason = "tool_calls"
        return {
            "id": f"chatcmpl-{number}",
            "object": "chat.completion",
            "model": body["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        }
