"""A stub of a chat API that speaks OpenAI's, on loopback: it prints its port, and appends each request to a file.

    stub_server.py REQUESTS

REQUESTS gets one JSON object a line. As the real ones do, it answers 400 to a tool result whose call is not in the messages
before it. It ends when its standard input does.
"""
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def fault(request):
    """What is wrong with a request, or None."""
    if not isinstance(request.get("model"), str) or not isinstance(request.get("messages"), list):
        return "model and messages are wanted"
    calls = set()
    for index, message in enumerate(request["messages"]):
        calls.update(call["id"] for call in message.get("tool_calls") or ())
        if message["role"] == "tool" and message["tool_call_id"] not in calls:
            return f"messages[{index}]: no tool call {message['tool_call_id']}"
    return None


class Chat(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            request = json.loads(body)
            wrong = fault(request) if self.path == "/v1/chat/completions" else f"no such path: {self.path}"
        except ValueError as error:
            request, wrong = None, str(error)
        with open(sys.argv[1], "a", encoding="utf-8") as requests:
            requests.write(json.dumps(request) + "\n")
        if wrong:
            self.answer(400, {"error": {"message": wrong, "type": "invalid_request_error"}})
        else:
            self.answer(200, {"object": "chat.completion", "model": request["model"], "choices": [
                {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "High water at six. 🌊"}}]})

    def answer(self, status, value):
        body = json.dumps(value, ensure_ascii=False).encode("utf-8")
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Chat)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_port, flush=True)
    sys.stdin.read()
    server.shutdown()


if __name__ == "__main__":
    main()
