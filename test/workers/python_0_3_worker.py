"""An A2A agent on the last a2a-sdk that speaks only v0.3, made to lose its tasks.

Its store is the SDK's in-memory one. What it does is in its one argument, the JSON of a `WorkerSpec`
(worker-spec.ts); when it listens it prints one line, `{"ready":true,…}`. A turn is that of
python_worker.py: `working`, the artifact, then `input-required` with the question, or `completed`.
"""

import asyncio

from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.apps import A2ARESTFastAPIApplication, A2AStarletteApplication
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCard, DataPart, Part, Task, TaskState, TaskStatus, TextPart
from fastapi import FastAPI
from report_process import card_words, interfaces, report, report_text, serve


def to_card(spec: dict, origin: str) -> AgentCard:
    offered = [{'url': url, 'transport': binding} for binding, url in interfaces(spec, origin)]
    return AgentCard.model_validate(
        {
            **card_words(spec),
            'protocolVersion': '0.3.0',
            'url': offered[0]['url'],
            'preferredTransport': offered[0]['transport'],
            'additionalInterfaces': offered,
        }
    )


def to_part(spec: dict) -> Part:
    """Parts of v0.3 bear no media type: it is that of their kind."""
    if spec['emits'] == 'application/json':
        return Part(root=DataPart(data=report(spec)))
    return Part(root=TextPart(text=report_text(spec)))


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


def to_app(spec: dict, origin: str) -> FastAPI:
    card = to_card(spec, origin)
    handler = DefaultRequestHandler(
        agent_executor=ReportExecutor(spec), task_store=InMemoryTaskStore()
    )
    app = A2ARESTFastAPIApplication(agent_card=card, http_handler=handler).build(rpc_url='/rest')
    A2AStarletteApplication(agent_card=card, http_handler=handler).add_routes_to_app(app)
    return app


if __name__ == '__main__':
    serve(to_app)
