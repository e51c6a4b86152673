/** The life of one logical task as a row of observations, the kind a busy mesh sends all day. */
export interface ObservedEvent {
  readonly specversion: '1.0'
  readonly id: string
  readonly source: string
  readonly type: string
  readonly time: string
  readonly workerid: string
  readonly correlationid?: string
  readonly operation?: string
  readonly taskid?: string
  readonly data: unknown
}

const startMs = Date.parse('2026-11-01T10:00:00Z')

/**
 * `length` observations of task number `task`: sent, working, polled, sometimes asked for input,
 * sometimes lost after a restart and sent again; completed in the end, but for every fifth, which is
 * not found any more and asks for a verdict.
 *
 * `salt` keeps the ids of one run apart from those of another.
 */
export const workHistory = (task: number, length: number, random: () => number, salt: string): readonly ObservedEvent[] => {
  const correlationid = `${salt}-k${task}`
  const workerid = `${salt}-w${task % 7}`
  const first = `t-${task}`
  let taskid = first
  const events: ObservedEvent[] = []
  const add = (type: string, operation: string | undefined, data: unknown, isCorrelated = false) => {
    const number = events.length + 1
    events.push({
      specversion: '1.0',
      id: `${correlationid}-${number}`,
      source: `urn:fault:${salt}:orchestrator`,
      type,
      time: new Date(startMs + (task * 100 + number) * 1000).toISOString(),
      workerid,
      ...(isCorrelated && { correlationid }),
      ...(operation !== undefined && { operation }),
      ...(!isCorrelated && operation !== undefined && { taskid }),
      data,
    })
  }
  const message = (id: string) => ({ message: { role: 'ROLE_USER', messageId: id, parts: [{ text: `work ${task}` }] } })
  const snapshot = (state: string) => ({ id: taskid, contextId: `c-${task}`, status: { state } })
  const answer = (result: unknown) => ({ jsonrpc: '2.0', id: 1, result })

  add('a2a.dispatch', 'SendMessage', message(`${correlationid}-m1`), true)
  add('a2a.response', 'SendMessage', answer({ task: snapshot('TASK_STATE_SUBMITTED') }), true)
  while (events.length < length - 1) {
    const chance = random()
    if (chance < 0.04 && taskid === first && length - events.length > 6) {
      add('a2a.worker-restarted', undefined, {})
      add('a2a.response', 'GetTask', { jsonrpc: '2.0', id: 1, error: { code: -32001, message: 'Task not found' } })
      add('a2a.dispatch', 'SendMessage', message(`${correlationid}-m2`), true)
      taskid = `t-${task}-again`
      add('a2a.response', 'SendMessage', answer({ task: snapshot('TASK_STATE_WORKING') }), true)
    } else if (chance < 0.2) {
      add('a2a.status-update', 'SubscribeToTask', {
        taskId: taskid,
        contextId: `c-${task}`,
        status: { state: 'TASK_STATE_INPUT_REQUIRED', message: { role: 'ROLE_AGENT', messageId: 'a', parts: [{ text: 'Which?' }] } },
      })
    } else {
      add('a2a.response', 'GetTask', answer(snapshot('TASK_STATE_WORKING')))
    }
  }
  if (task % 5 === 0) {
    add('a2a.response', 'GetTask', { jsonrpc: '2.0', id: 1, error: { code: -32001, message: 'Task not found' } })
    return events
  }
  add('a2a.response', 'GetTask', answer({ ...snapshot('TASK_STATE_COMPLETED'), artifacts: [{ artifactId: 'a-1', parts: [{ text: `result ${task}` }] }] }))
  return events
}
