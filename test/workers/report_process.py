"""What both workers in Python have in common, whatever their SDK: the card's words, the content, the process."""

import json
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable
from typing import Any

import uvicorn

CONTINUITY_EXTENSION = 'urn:a2a-ledger:task-continuity:v1'

URLS = {'JSONRPC': '/', 'HTTP+JSON': '/rest'}


def interfaces(spec: dict, origin: str) -> list[tuple[str, str]]:
    """Bindings with their addresses, the preferred one first."""
    return [(binding, origin + URLS[binding]) for binding in spec.get('bindings', list(URLS))]


def card_words(spec: dict) -> dict:
    """What a card says in every version: all but its interfaces."""
    return {
        'name': spec['name'],
        'description': 'Writes the quarterly report.',
        'version': '1.0.0',
        'capabilities': {
            'streaming': True,
            'extensions': [
                {
                    'uri': CONTINUITY_EXTENSION,
                    'description': 'Which task states this agent can reach.',
                    'params': {'reachableStates': spec['reachableStates']},
                }
            ],
        },
        'defaultInputModes': ['text/plain'],
        'defaultOutputModes': spec['outputModes'],
        'skills': [
            {
                'id': 'report',
                'name': 'report',
                'description': 'Writes a report.',
                'tags': ['report'],
                'outputModes': spec['outputModes'],
            }
        ],
    }


def report(spec: dict) -> dict:
    return {'title': 'Quarterly report', 'by': spec['name']}


def report_text(spec: dict) -> str:
    return f'Quarterly report, by {spec["name"]}'


def end_with_stdin() -> None:
    """Whoever started this worker holds its stdin open; a worker must not outlive them."""
    sys.stdin.read()
    os._exit(0)


def serve(to_app: Callable[[dict, str], Any]) -> None:
    """Listens, prints the first line and runs the app that `to_app` makes of the spec and its origin."""
    spec = json.loads(sys.argv[1])
    # Bound here and handed over, so that the port is known before the first request can come.
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(('127.0.0.1', spec.get('port', 0)))
    listener.listen()
    origin = f'http://127.0.0.1:{listener.getsockname()[1]}'
    app = to_app(spec, origin)
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    threading.Thread(target=end_with_stdin, daemon=True).start()
    print(json.dumps({'ready': True, 'url': origin, 'pid': os.getpid()}), flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level='warning')).run(sockets=[listener])
