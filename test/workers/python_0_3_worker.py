"""An A2A agent on the last a2a-sdk that speaks only v0.3, made to lose its tasks.

Its store is the SDK's in-memory one. What it does is in its one argument, the JSON of a `WorkerSpec`
(worker-spec.ts); when it listens it prints one line, `{"ready":true,…}`. A turn is that of
python_worker.py: `working`, the artifact, then `input-required` with the question, or `completed`.
"""

import asyncio
import json
import os
import signal
import socket
import sys
import threading

import uvicorn
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.apps import A2ARESTFastAPIApplication, A2AStarletteApplication
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCard, DataPart, Part, Task, TaskState, TaskStatus, TextPart

CONTINUITY_EXTENSION = 'urn:a2a-ledger:task-continuity:v1'


def to_card(spec: dict, origin: str) -> AgentCard:
    urls = {'JSONRPC': f'{origin}/', 'HTTP+JSON': f'{origin}/rest'}
    bindings = spec.get('bindings', ['JSONRPC', 'HTTP+JSON'])
    return AgentCard.model_validate(
        {
            'name': spec['name'],
            'description': 'Writes the quarterly report.',
            'version': '1.0.0',
            'protocolVersion': '0.3.0',
            'url': urls[bindings[0]],
            'preferredTransport': bindings[0],
            'additionalInterfaces': [
                {'url': urls[binding], 'transport': binding} for binding in bindings
            ],
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
    )


def to_part(spec: dict) -> Part:
    """Parts of v0.3 bear no media type: it is that of their kind."""
    content = {'title': 'Quarterly report', 'by': spec['name']}
    if spec['emits'] == 'application/json':
        return Part(root=DataPart(data=content))
    return Part(root=TextPart(text=f'{content["title"]}, by {content["by"]}'))


class ReportExecutor(AgentExecutor):
    """One turn: working, the artifact, then the question or the end."""

    def __init__(self, spec: dict) -> None:
        self._spec = spec

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        is_first_turn = context.current_task is None
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        if is_first_turn:
            status = TaskStatus(state=TaskState.working)
            await event_queue.enqueue_event(
                Task(
                    id=context.task_id,
                    context_id=context.context_id,
                    status=status,
                    history=[context.message],
                )
            )
        await updater.start_work()
        await asyncio.sleep(self._spec.get('workMs', 150) / 1000)
        await updater.add_artifact(
            [to_part(self._spec)], artifact_id='report', name='report', last_chunk=True
        )
        if is_first_turn and 'asks' in self._spec:
            question = Part(root=TextPart(text=self._spec['asks']))
            await updater.requires_input(updater.new_agent_message([question]), final=True)
        else:
            await updater.complete()

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        raise NotImplementedError('This worker cannot cancel: its turns end by themselves.')


def end_with_stdin() -> None:
    """Whoever started this worker holds its stdin open; a worker must not outlive them."""
    sys.stdin.read()
    os._exit(0)


def main() -> None:
    spec = json.loads(sys.argv[1])
    # Bound here and handed over, so that the port is known before the first request can come.
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(('127.0.0.1', spec.get('port', 0)))
    listener.listen()
    origin = f'http://127.0.0.1:{listener.getsockname()[1]}'
    card = to_card(spec, origin)
    handler = DefaultRequestHandler(
        agent_executor=ReportExecutor(spec), task_store=InMemoryTaskStore()
    )
    app = A2ARESTFastAPIApplication(agent_card=card, http_handler=handler).build(rpc_url='/rest')
    A2AStarletteApplication(agent_card=card, http_handler=handler).add_routes_to_app(app)
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    threading.Thread(target=end_with_stdin, daemon=True).start()
    print(json.dumps({'ready': True, 'url': origin, 'pid': os.getpid()}), flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level='warning')).run(sockets=[listener])


if __name__ == '__main__':
    main()
