"""The Python twin of js-worker.ts, on `a2a-sdk`: same argument, same first line, same turns.

Its store is the SDK's in-memory one and its task ids are seeded from the start of the process,
so that a restart loses every task and hands out new ids.
"""

from __future__ import annotations

import asyncio
import time

from a2a.server.agent_execution import (
    AgentExecutor,
    RequestContext,
    SimpleRequestContextBuilder,
)
from a2a.server.events import EventQueue
from a2a.server.id_generator import IDGenerator, IDGeneratorContext
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import (
    create_agent_card_routes,
    create_jsonrpc_routes,
    create_rest_routes,
)
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types.a2a_pb2 import AgentCard, Part, Task, TaskState, TaskStatus
from google.protobuf.json_format import ParseDict
from report_process import card_words, interfaces, report, report_text, serve
from starlette.applications import Starlette


class StartSeededIds(IDGenerator):
    """The load-bearing flaw of the incident: ids of the process, not of the work."""

    def __init__(self, name: str) -> None:
        self._prefix = f'{name}-{int(time.time() * 1000):x}'
        self._count = 0

    def generate(self, context: IDGeneratorContext) -> str:
        self._count += 1
        return f'{self._prefix}-{self._count}'


def to_card(spec: dict, origin: str) -> AgentCard:
    offered = [
        {'url': url, 'protocolBinding': binding, 'protocolVersion': spec.get('protocol', '1.0')}
        for binding, url in interfaces(spec, origin)
    ]
    return ParseDict({**card_words(spec), 'supportedInterfaces': offered}, AgentCard())


def to_part(spec: dict) -> Part:
    if spec['emits'] == 'application/json':
        return ParseDict({'data': report(spec), 'mediaType': spec['emits']}, Part())
    return Part(text=report_text(spec), media_type=spec['emits'])


class ReportExecutor(AgentExecutor):
    """One turn: working, the artifact, then the question or the end."""

    def __init__(self, spec: dict) -> None:
        self._spec = spec

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        is_first_turn = context.current_task is None
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        if is_first_turn:
            task = Task(
                id=context.task_id,
                context_id=context.context_id,
                status=TaskStatus(state=TaskState.TASK_STATE_WORKING),
                history=[context.message],
            )
            task.status.timestamp.GetCurrentTime()
            await event_queue.enqueue_event(task)
        else:
            await updater.start_work()
        await asyncio.sleep(self._spec.get('workMs', 150) / 1000)
        await updater.add_artifact(
            [to_part(self._spec)], artifact_id='report', name='report', last_chunk=True
        )
        if is_first_turn and 'asks' in self._spec:
            question = Part(text=self._spec['asks'], media_type='text/plain')
            await updater.requires_input(updater.new_agent_message([question]))
        else:
            await updater.complete()

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        raise NotImplementedError('This worker cannot cancel: its turns end by themselves.')


def to_app(spec: dict, origin: str) -> Starlette:
    card = to_card(spec, origin)
    store = InMemoryTaskStore()
    handler = DefaultRequestHandler(
        agent_executor=ReportExecutor(spec),
        task_store=store,
        agent_card=card,
        request_context_builder=SimpleRequestContextBuilder(
            task_store=store, task_id_generator=StartSeededIds(spec['name'])
        ),
    )
    is_legacy = spec.get('protocol') == '0.3'
    return Starlette(
        routes=[
            *create_agent_card_routes(card, cache_control='public, max-age=300'),
            *create_rest_routes(handler, path_prefix='/rest', enable_v0_3_compat=is_legacy),
            *create_jsonrpc_routes(handler, '/', enable_v0_3_compat=is_legacy),
        ]
    )


if __name__ == '__main__':
    serve(to_app)
