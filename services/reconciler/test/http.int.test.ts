/** The reconciler's HTTP answers, with a real ledger behind it. */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answered, at, card, deploy, type Deployment, dispatch, notFound, polled, problem } from './deployment.ts'

let it: Deployment
beforeAll(async () => {
  it = await deploy()
})
afterAll(async () => {
  await it?.end()
})

/** A task that its worker forgot an hour ago. */
const lost = (name: string) => [
  dispatch(name, `${name}-w`),
  answered(name, `${name}-w`, `${name}-t`),
  notFound(`${name}-w`, `${name}-t`, 10),
]

describe('a task', () => {
  test('is read as of what was recorded a moment ago', async () => {
    for (let round = 1; round <= 20; round += 1) {
      const position = await it.record([dispatch(`own-${round}`, 'w'), answered(`own-${round}`, 'w', `own-t-${round}`)])
      const { status, body } = await it.get(`/v1/tasks/own-${round}?atLeast=${position}`)
      expect({ status, state: body.state }).toEqual({ status: 200, state: 'working' })
      expect(body.appliedPosition).toBeGreaterThanOrEqual(position)
    }
  })

  test('that nobody recorded is 404', async () => {
    expect(await it.get('/v1/tasks/nobody')).toMatchObject(problem(404, 'task_not_found'))
    expect(await it.get('/v1/tasks/nobody/timeline')).toMatchObject(problem(404, 'task_not_found'))
    expect(await it.get('/v1/tasks/nobody/root-cause')).toMatchObject(problem(404, 'task_not_found'))
    expect(await it.get('/v1/tasks/nobody/artifacts/a/content')).toMatchObject(problem(404, 'task_not_found'))
  })

  test('is not read before the position that was asked for: 504 when that does not come in time', async () => {
    const startedMs = performance.now()
    const answer = await it.get('/v1/tasks/own-1?atLeast=999999999&timeoutMs=200')
    expect(answer).toMatchObject(problem(504, 'not_caught_up'))
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(190)
  })

  test.each(['atLeast=-1', 'atLeast=x', 'timeoutMs=9999999999', 'atLeast=1e3', 'atleast=1'])('a query with %s is 400', async (query) => {
    expect(await it.get(`/v1/tasks/own-1?${query}`)).toMatchObject(problem(400, 'parameter_invalid'))
  })

  test('of a synthetic stream moves to the task it was linked to, with the query', async () => {
    await it.record([polled('merge-w', 'merge-t', 'TASK_STATE_WORKING', 5)])
    const synthetic = encodeURIComponent('~merge-w/merge-t')
    await expect.poll(async () => (await it.get(`/v1/tasks/${synthetic}`)).status).toBe(200)
    const position = await it.record([dispatch('merge/k?', 'merge-w', 1), answered('merge/k?', 'merge-w', 'merge-t', 'TASK_STATE_SUBMITTED', 2)])
    await expect.poll(async () => (await it.get(`/v1/tasks/${synthetic}?atLeast=${position}`)).status).toBe(308)
    const { headers } = await it.get(`/v1/tasks/${synthetic}/timeline?limit=1`)
    expect(headers.get('location')).toBe(`/v1/tasks/${encodeURIComponent('merge/k?')}/timeline?limit=1`)
    const { body } = await it.get(`/v1/tasks/${encodeURIComponent('merge/k?')}`)
    expect(body).toMatchObject({ state: 'working', attempts: [{ taskId: 'merge-t' }] })
    await expect
      .poll(async () => (await it.get('/v1/tasks?taskId=merge-t')).body.tasks.map((task: { correlationId: string }) => task.correlationId))
      .toEqual(['merge/k?'])
  })

  test('is seen alive by a listing that was worth no event of its own (L13)', async () => {
    const tasks = [{ id: 'l13-t', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } }]
    await it.record([
      dispatch('l13', 'l13-w'),
      answered('l13', 'l13-w', 'l13-t', 'TASK_STATE_WORKING', 1),
      { type: 'a2a.response', operation: 'ListTasks', workerid: 'l13-w', time: at(30), data: { tasks } },
    ])
    const position = await it.record([notFound('l13-w', 'l13-t', 20)])
    expect((await it.eventsOf('workerId=l13-w')).map(({ correlationId }) => correlationId)).toEqual(['l13', 'l13', '~l13-w', 'l13'])
    const { body } = await it.get(`/v1/tasks/l13?atLeast=${position}`)
    expect(body).toMatchObject({ state: 'working', attempts: [{ life: 'live', contested: true }] })
  })

  test('keeps what its payload says to the letter: NUL, half surrogates, quotes', async () => {
    const strange = 'a\u0000b\ud800"\\'
    const position = await it.record([
      dispatch('strange', 'strange-w'),
      polled('strange-w', 'strange-t', 'TASK_STATE_COMPLETED', 3, { artifacts: [{ artifactId: 'x', name: strange, parts: [{ text: strange }] }] }),
    ])
    const { body } = await it.get(`/v1/tasks/${encodeURIComponent('~strange-w/strange-t')}?atLeast=${position}`)
    expect(body).toMatchObject({ state: 'completed', artifacts: [{ key: 'x' }] })
  })
})

describe('a family of tasks', () => {
  const onBehalfOf = (parent: string, events: readonly object[]) => events.map((event) => ({ ...event, parentcorrelationid: parent }))

  test('is shown from both sides, and the cause is followed down to the child', async () => {
    const position = await it.record([
      dispatch('fam-order', 'fam-w1'),
      answered('fam-order', 'fam-w1', 'fam-t1'),
      ...onBehalfOf('fam-order', [dispatch('fam-step', 'fam-w2', 3), answered('fam-step', 'fam-w2', 'fam-t2', 'TASK_STATE_WORKING', 4)]),
      { type: 'a2a.worker-restarted', workerid: 'fam-w2', time: at(5), data: {} },
      notFound('fam-w2', 'fam-t2', 6),
      polled('fam-w1', 'fam-t1', 'TASK_STATE_FAILED', 9),
    ])
    const parent = await it.get(`/v1/tasks/fam-order?atLeast=${position}`)
    expect(parent.body).toMatchObject({ state: 'failed', children: [{ correlationId: 'fam-step', by: 'stated', state: 'indeterminate' }] })
    const child = await it.get('/v1/tasks/fam-step')
    expect(child.body).toMatchObject({ parents: [{ correlationId: 'fam-order', by: 'stated', state: 'failed' }] })
    expect(child.body).not.toHaveProperty('children')
    const { body } = await it.get('/v1/tasks/fam-order/root-cause')
    expect(body.findings[0]).toMatchObject({ cause: 'lost_on_restart', responsible: 'worker', correlationId: 'fam-step' })
    expect(body.summary).toContain('it began in the child task fam-step: worker fam-w2 restarted and lost task fam-t2')
  })

  test('is found by a server task that a message refers to, and by the trace it was sent in', async () => {
    const traceparent = `00-${'c'.repeat(32)}-${'1'.repeat(16)}-01`
    const refers = { message: { role: 'ROLE_USER', messageId: 'ref-m', parts: [{ text: 'more' }], referenceTaskIds: ['kin-t1'] } }
    const position = await it.record([
      { ...dispatch('kin-order', 'kin-w1'), traceparent },
      answered('kin-order', 'kin-w1', 'kin-t1'),
      { ...dispatch('kin-ref', 'kin-w1', 3), data: refers },
      { ...dispatch('kin-trace', 'kin-w3', 4), traceparent, source: 'urn:test:agent' },
    ])
    const { body } = await it.get(`/v1/tasks/kin-order?atLeast=${position}`)
    expect(body.children.map(({ correlationId, by }: { correlationId: string; by: string }) => [correlationId, by])).toEqual([
      ['kin-ref', 'reference'],
      ['kin-trace', 'trace'],
    ])
    expect((await it.get('/v1/tasks/kin-ref')).body).toMatchObject({ parents: [{ correlationId: 'kin-order', by: 'reference' }] })
    expect((await it.get('/v1/tasks/kin-trace')).body).toMatchObject({ parents: [{ correlationId: 'kin-order', by: 'trace' }] })
  })

  test('that goes round in a circle is shown, and ends', async () => {
    const position = await it.record([
      ...onBehalfOf('ring-b', [dispatch('ring-a', 'ring-w1'), answered('ring-a', 'ring-w1', 'ring-t1', 'TASK_STATE_FAILED')]),
      ...onBehalfOf('ring-a', [dispatch('ring-b', 'ring-w2'), answered('ring-b', 'ring-w2', 'ring-t2', 'TASK_STATE_FAILED')]),
    ])
    const { body } = await it.get(`/v1/tasks/ring-a/root-cause?atLeast=${position}`)
    expect(body.findings).toMatchObject([{ cause: 'child_failed', correlationId: 'ring-b' }])
  })
})

describe('the contract of a worker', () => {
  const report = (mediaType: string) => ({ artifacts: [{ artifactId: 'a', parts: [{ text: 'x', mediaType }] }] })

  test('is told per skill, its drift is dated whatever the order of recording, and artifacts are judged by two cards', async () => {
    const position = await it.record([
      card('drift-w', ['text/plain', 'application/json'], ['working', 'completed'], 0),
      dispatch('drift-2', 'drift-w', 10),
      polled('drift-w', 'drift-t2', 'TASK_STATE_COMPLETED', 12, report('text/plain')),
      dispatch('drift-1', 'drift-w', 1),
      polled('drift-w', 'drift-t1', 'TASK_STATE_COMPLETED', 3, report('application/json')),
    ])
    await expect
      .poll(async () => (await it.get(`/v1/workers/drift-w?atLeast=${position}`)).body)
      .toMatchObject({
        skills: [{ id: 's', states: { observed: ['completed'] }, mediaTypes: { advertised: ['text/plain', 'application/json'], observed: ['text/plain', 'application/json'] } }],
        drift: [{ skill: 's', from: ['application/json'], to: ['text/plain'], since: at(12) }],
        cards: [{ inForce: [{ from: at(0) }] }],
      })
    const { body } = await it.get(`/v1/tasks/${encodeURIComponent('~drift-w/drift-t2')}`)
    expect(body.artifacts[0].canonical.judgedBy).toMatchObject([{ by: 'emission', isAdvertised: true }])
  })
})

describe('coverage', () => {
  test('of a worker most of whose tasks nobody saw being sent is low, and nobody is blamed for an id that was never seen', async () => {
    const position = await it.record([
      ...['a', 'b', 'c'].map((name) => polled('cov-w', `cov-${name}`, 'TASK_STATE_WORKING', 2)),
      notFound('cov-w', 'cov-x', 5),
    ])
    await expect
      .poll(async () => (await it.get(`/v1/workers/cov-w?atLeast=${position}`)).body.coverage)
      .toEqual({ level: 'low', tasks: 3, sentTasks: 0, sends: 0, answeredSends: 0, streams: 0, endedStreams: 0, gaps: [] })
    const { body } = await it.get(`/v1/tasks/${encodeURIComponent('~cov-w/cov-x')}/root-cause`)
    expect(body.findings).toMatchObject([{ cause: 'never_existed', confidence: 'possible', responsible: 'unknown' }])
    expect(body.findings[0].unwitnessed).toBe('Of cov-w, 3 of 3 server tasks were never seen being sent.')
  })
})

describe('the list of tasks', () => {
  beforeAll(async () => {
    const position = await it.record(
      [1, 2, 3, 4, 5].flatMap((n) => [
        dispatch(`list-${n}`, `list-w${n % 2}`),
        answered(`list-${n}`, `list-w${n % 2}`, `list-t${n}`, n === 3 ? 'TASK_STATE_COMPLETED' : 'TASK_STATE_WORKING'),
      ]),
    )
    expect((await it.get(`/v1/tasks?atLeast=${position}`)).status).toBe(200)
  })
  const idsOf = (answer: { body: { tasks: { correlationId: string }[] } }): string[] =>
    answer.body.tasks.map(({ correlationId }) => correlationId)

  test('pages without loss while the tasks in it change', async () => {
    const seen: string[] = []
    let after: number | null = 0
    for (let page = 0; after !== null; page += 1) {
      const answer = await it.get(`/v1/tasks?workerId=list-w1&limit=1&after=${after}`)
      seen.push(...idsOf(answer))
      after = answer.body.next
      if (page === 0) await it.record([polled('list-w1', 'list-t1', 'TASK_STATE_WORKING', 20)])
    }
    expect(seen).toEqual(['list-1', 'list-3', 'list-5'])
  })

  test('filters by state, worker and server task, alone and together', async () => {
    expect(idsOf(await it.get('/v1/tasks?workerId=list-w1&state=completed'))).toEqual(['list-3'])
    expect(idsOf(await it.get('/v1/tasks?taskId=list-t4'))).toEqual(['list-4'])
    expect(idsOf(await it.get('/v1/tasks?taskId=list-t4&workerId=list-w1'))).toEqual([])
    expect((await it.get('/v1/tasks?workerId=nobody')).body).toEqual({ tasks: [], next: null })
  })

  test('shows of each task what its view shows', async () => {
    const { body } = await it.get('/v1/tasks?taskId=list-t3')
    expect(body.tasks).toEqual([{ correlationId: 'list-3', state: 'completed', terminal: true, updatedPosition: expect.any(Number) }])
  })

  test('of a state that there is not is 400, and says which there are', async () => {
    const answer = await it.get('/v1/tasks?state=bogus')
    expect(answer).toMatchObject(problem(400, 'parameter_invalid'))
    expect(answer.body.detail).toMatch(/`state` is not known; send one of submitted, .*indeterminate\.$/)
  })

  test.each(['limit=0', 'limit=101', 'after=x', 'state=working&state=failed'])('with %s is 400', async (query) => {
    expect(await it.get(`/v1/tasks?${query}`)).toMatchObject(problem(400, 'parameter_invalid'))
  })
})

describe('a timeline', () => {
  test('pages through every event of the task in order', async () => {
    const position = await it.record([...lost('line'), polled('line-w', 'line-t', 'TASK_STATE_COMPLETED', 20)])
    const first = await it.get(`/v1/tasks/line/timeline?limit=3&atLeast=${position}`)
    const second = await it.get(`/v1/tasks/line/timeline?limit=3&after=${first.body.next}`)
    const entries = [...first.body.entries, ...second.body.entries]
    expect(entries.map(({ type }: { type: string }) => type).filter((type) => type !== 'reconciler.verdict')).toEqual([
      'a2a.dispatch', 'a2a.response', 'a2a.response', 'a2a.response',
    ])
    expect(entries[0]).toMatchObject({ effect: 'applied', time: at(1) })
  })
})

describe('the timeline of a long task', () => {
  test('comes in pages whose cost is bounded, and misses nothing between them', async () => {
    const chunks = Array.from({ length: 1_998 }, (_, n) => ({
      type: 'a2a.artifact-update', operation: 'Push', workerid: 'long-w', taskid: 'long-t', time: at(3 + n),
      data: { taskId: 'long-t', contextId: 'c', artifact: { artifactId: 'a', parts: [{ text: 'x' }] }, append: n > 0 },
    }))
    await it.record([dispatch('long', 'long-w'), answered('long', 'long-w', 'long-t', 'TASK_STATE_WORKING', 2), ...chunks.slice(0, 998)])
    const position = await it.record(chunks.slice(998))
    const first = await it.get(`/v1/tasks/long/timeline?after=${position - 200}&atLeast=${position}&timeoutMs=60000`)
    const second = await it.get(`/v1/tasks/long/timeline?after=${first.body.next}`)
    const positions = [...first.body.entries, ...second.body.entries].map((entry: { position: number }) => entry.position)
    expect(first.body.entries.length).toBeLessThan(100)
    expect(positions).toEqual(Array.from(positions, (_, n) => position - 199 + n))
  })
})

describe('the content of an artifact', () => {
  beforeAll(async () => {
    const artifact = (text: string, more: object = {}) => ({
      type: 'a2a.artifact-update', operation: 'Push', workerid: 'art-w', taskid: 'art-t',
      data: { taskId: 'art-t', contextId: 'c', artifact: { artifactId: 'a', parts: [{ text }] }, ...more },
    })
    const position = await it.record([
      dispatch('art', 'art-w'),
      answered('art', 'art-w', 'art-t'),
      { ...artifact('Grüße, '), time: at(3) },
      { ...artifact('Welt', { append: true, lastChunk: true }), time: at(4) },
      polled('art-w', 'art-t', 'TASK_STATE_WORKING', 5, { artifacts: [{ artifactId: 'b', parts: [{ url: 'https://example.com/b.png', mediaType: 'image/png' }] }] }),
    ])
    await it.get(`/v1/tasks/art?atLeast=${position}`)
  })

  test('is its chunks one after the other, with media type and digest as in the view', async () => {
    const { status, headers, body } = await it.get('/v1/tasks/art/artifacts/a/content')
    const digest = createHash('sha256').update('Grüße, Welt').digest()
    expect({ status, body }).toEqual({ status: 200, body: 'Grüße, Welt' })
    expect(headers.get('content-type')).toMatch(/^text\/plain/)
    expect(headers.get('digest')).toBe(`sha-256=${digest.toString('base64')}`)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    const view = await it.get('/v1/tasks/art')
    expect(view.body.artifacts[0].canonical).toMatchObject({ bytes: 13, digest: `sha256:${digest.toString('hex')}` })
    expect((await it.get('/v1/tasks/art')).body.artifacts[0].canonical).toEqual(view.body.artifacts[0].canonical)
  })

  test('of a variant is chosen by worker and task', async () => {
    expect((await it.get('/v1/tasks/art/artifacts/a/content?workerId=art-w&taskId=art-t')).status).toBe(200)
    expect(await it.get('/v1/tasks/art/artifacts/a/content?taskId=other')).toMatchObject(problem(404, 'artifact_not_found'))
  })

  test('that is only linked to is 409, one that does not exist 404', async () => {
    expect(await it.get('/v1/tasks/art/artifacts/b/content')).toMatchObject(problem(409, 'content_by_reference'))
    expect(await it.get('/v1/tasks/art/artifacts/none/content')).toMatchObject(problem(404, 'artifact_not_found'))
  })

  test('that was erased is 410', async () => {
    const position = await it.record([
      polled('gone-w', 'gone-t', 'TASK_STATE_COMPLETED', 5, { artifacts: [{ artifactId: 'g', parts: [{ text: 'secret' }] }] }),
    ])
    const path = `/v1/tasks/${encodeURIComponent('~gone-w/gone-t')}/artifacts/g/content`
    expect((await it.get(`${path}?atLeast=${position}`)).status).toBe(200)
    const { default: pg } = await import('pg')
    const admin = new pg.Client({ connectionString: it.database.adminUrl })
    await admin.connect()
    await admin.query('SET ROLE a2a_ledger_eraser')
    await admin.query('DELETE FROM ledger.payloads WHERE position = $1', [position])
    await admin.end()
    expect(await it.get(path)).toMatchObject(problem(410, 'payload_erased'))
  })
})

describe('what now', () => {
  test('not-found is recorded, decided at once and answered', async () => {
    await it.record([dispatch('ask', 'ask-w'), answered('ask', 'ask-w', 'ask-t')])
    const { status, body } = await it.post('/v1/tasks/ask/not-found', { workerId: 'ask-w', taskId: 'ask-t', time: at(30) })
    expect(status).toBe(200)
    expect(body).toMatchObject({ kind: 'unreconcilable', state: 'indeterminate', lastObserved: 'working', actor: 'caller' })
    const events = await it.eventsOf('correlationId=ask')
    expect((await it.get('/v1/tasks/ask')).body).toMatchObject({ verdict: { decisionId: body.decisionId, position: events.at(-1)?.['position'] } })
    expect(events.map(({ type }) => type)).toEqual(['a2a.dispatch', 'a2a.response', 'a2a.error', 'reconciler.verdict'])
  })

  test('within grace it says to ask again, and when', async () => {
    await it.record([dispatch('grace', 'grace-w'), answered('grace', 'grace-w', 'grace-t')])
    const askedMs = performance.now()
    const { body } = await it.post('/v1/tasks/grace/not-found', { workerId: 'grace-w', taskId: 'grace-t' })
    expect(body).toMatchObject({ kind: 'reobserve', state: 'indeterminate' })
    expect(body.retryAfterMs).toBeGreaterThan(30_000 - (performance.now() - askedMs) - 100)
    expect(body.retryAfterMs).toBeLessThanOrEqual(30_000)
  })

  test('with an Idempotency-Key repeats are one observation, and another body is 422', async () => {
    await it.record([dispatch('idem', 'idem-w'), answered('idem', 'idem-w', 'idem-t')])
    const ask = (body: object) => it.post('/v1/tasks/idem/not-found', { workerId: 'idem-w', taskId: 'idem-t', ...body }, { 'idempotency-key': 'q-1' })
    const [first, second] = [await ask({ time: at(30) }), await ask({ time: at(30) })]
    expect(second.body).toEqual(first.body)
    expect(await ask({ time: at(31) })).toMatchObject(problem(422, 'idempotency_mismatch'))
    expect(await it.eventsOf('correlationId=idem&type=a2a.error')).toHaveLength(1)
    expect(await it.eventsOf('correlationId=idem&type=reconciler.verdict')).toHaveLength(1)
  })

  test('a key stays with its question when another attempt has become the current one', async () => {
    await it.record([dispatch('again', 'again-w1'), answered('again', 'again-w1', 'again-t1')])
    const ask = () => it.post('/v1/what-now', { correlationId: 'again', reason: 'timeout' }, { 'idempotency-key': 'q-2' })
    expect((await ask()).status).toBe(200)
    await it.record([dispatch('again', 'again-w2', 50), answered('again', 'again-w2', 'again-t2', 'TASK_STATE_WORKING', 51)])
    expect((await ask()).status).toBe(200)
    const asked = await it.eventsOf('correlationId=again&type=a2a.no-answer')
    expect(asked.map(({ workerid }) => workerid)).toEqual(['again-w1'])
  })

  test('at once by many, the same question is one observation and one verdict', async () => {
    await it.record([dispatch('many', 'many-w'), answered('many', 'many-w', 'many-t')])
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => it.post('/v1/tasks/many/not-found', { workerId: 'many-w', taskId: 'many-t', time: at(30) })),
    )
    expect(new Set(answers.map(({ body }) => body.decisionId)).size).toBe(1)
    expect(await it.eventsOf('correlationId=many&type=a2a.error')).toHaveLength(1)
    expect(await it.eventsOf('correlationId=many&type=reconciler.verdict')).toHaveLength(1)
  })

  test('by worker and task alone finds the logical task', async () => {
    await it.record([dispatch('byid', 'byid-w'), answered('byid', 'byid-w', 'byid-t')])
    const { body } = await it.post('/v1/what-now', { workerId: 'byid-w', taskId: 'byid-t', reason: 'not-found', time: at(30) })
    expect(body).toMatchObject({ kind: 'unreconcilable', lastObserved: 'working' })
    expect(await it.eventsOf('correlationId=byid&type=a2a.error')).toHaveLength(1)
    const restarted = await it.post('/v1/what-now', { workerId: 'byid-w', taskId: 'byid-t', reason: 'restarted-myself' })
    expect(restarted.body).toMatchObject({ kind: 'unreconcilable' })
  })

  test('about a task that nobody ever saw is answered, not refused', async () => {
    const { status, body } = await it.post('/v1/what-now', { workerId: 'never-w', taskId: 'never-t', reason: 'not-found' })
    expect(status).toBe(200)
    expect(['reobserve', 'unreconcilable']).toContain(body.kind)
    expect((await it.post('/v1/what-now', { workerId: 'never-w', taskId: 'other', reason: 'restarted-myself' })).status).toBe(200)
  })

  test('a live task is resumed, an ended one is over', async () => {
    await it.record([
      dispatch('live', 'live-w'), answered('live', 'live-w', 'live-t'),
      dispatch('over', 'over-w'), answered('over', 'over-w', 'over-t', 'TASK_STATE_COMPLETED'),
    ])
    expect((await it.post('/v1/what-now', { correlationId: 'live', reason: 'restarted-myself' })).body).toMatchObject({ kind: 'resume', workerId: 'live-w', taskId: 'live-t' })
    expect((await it.post('/v1/what-now', { correlationId: 'over', reason: 'not-found' })).body).toMatchObject({ kind: 'terminal-ok', state: 'completed' })
  })

  test('a lost task goes to a worker that can take it over', async () => {
    await it.put('/v1/workers/take-w1', { mesh: 'take' })
    await it.put('/v1/workers/take-w2', { mesh: 'take', trust: 'card' })
    await it.record([
      card('take-w1', ['application/json'], ['working', 'completed']),
      card('take-w2', ['application/json'], ['working', 'completed']),
      dispatch('take', 'take-w1'),
      answered('take', 'take-w1', 'take-t'),
    ])
    const { body } = await it.post('/v1/tasks/take/not-found', { workerId: 'take-w1', taskId: 'take-t', time: at(30) })
    expect(body).toMatchObject({ kind: 'redispatch', workerId: 'take-w2', duplicateRisk: 'possible', send: { workerId: 'take-w2' } })
  })

  test('a candidate that turns up later reopens what could not be reconciled', async () => {
    await it.put('/v1/workers/late-w1', { mesh: 'late' })
    await it.record([card('late-w1', ['application/json'], ['working', 'completed']), ...lost('late').map((event) => ({ ...event, workerid: 'late-w1' }))])
    await expect.poll(async () => (await it.get('/v1/tasks/late')).body.verdict?.kind).toBe('unreconcilable')
    await it.record([card('late-w2', ['application/json'], ['working', 'completed'])])
    await it.put('/v1/workers/late-w2', { mesh: 'late', trust: 'card' })
    await expect.poll(async () => (await it.get('/v1/tasks/late')).body.verdict).toMatchObject({ kind: 'redispatch', workerId: 'late-w2' })
  })

  test('a candidate that was unreachable counts as soon as it answers anything', async () => {
    for (const n of [1, 2]) await it.put(`/v1/workers/reach-w${n}`, { mesh: 'reach', trust: n === 2 ? 'card' : 'verify' })
    await it.record([
      card('reach-w1', ['application/json'], ['working', 'completed']),
      card('reach-w2', ['application/json'], ['working', 'completed']),
      dispatch('reach-other', 'reach-w2', 5),
      { type: 'a2a.no-answer', operation: 'SendMessage', correlationid: 'reach-other', workerid: 'reach-w2', time: at(6), data: { reason: 'refused' } },
    ])
    const position = await it.record(lost('reach').map((event) => ({ ...event, workerid: 'reach-w1' })))
    await it.get(`/v1/tasks?atLeast=${position}`)
    const kindOf = async () => (await it.get('/v1/tasks/reach')).body.verdict?.kind
    await expect.poll(kindOf).toBe('unreconcilable')
    await it.record([polled('reach-w2', 'reach-t2', 'TASK_STATE_WORKING', 50)])
    await expect.poll(kindOf).toBe('redispatch')
  })

  test('a refusal is answered with who can take the work, and risks nothing', async () => {
    for (const n of [1, 2]) await it.put(`/v1/workers/ref-w${n}`, { mesh: 'ref', trust: 'card' })
    await it.record([
      card('ref-w1', ['application/json'], ['working', 'completed']),
      card('ref-w2', ['application/json'], ['working', 'completed']),
      dispatch('ref', 'ref-w1', 5),
    ])
    const { body } = await it.post('/v1/what-now', { correlationId: 'ref', reason: 'error', error: { code: -32602, message: 'no' }, time: at(6) })
    expect(body).toMatchObject({ state: 'dispatched', duplicateRisk: 'none' })
  })

  test('an answer that is none of A2A is 400 and says so', async () => {
    expect(await it.post('/v1/what-now', { correlationId: 'live', reason: 'error', error: [1, 2] })).toMatchObject(problem(400, 'parameter_invalid'))
  })

  test.each([
    ['no reason', { correlationId: 'live' }],
    ['an unknown reason', { correlationId: 'live', reason: 'bored' }],
    ['a worker without a task', { workerId: 'w', reason: 'timeout' }],
    ['an error that is not told', { correlationId: 'live', reason: 'error' }],
    ['a time that is none', { correlationId: 'live', reason: 'timeout', time: 'yesterday' }],
  ])('with %s is 400', async (_name, body) => {
    expect(await it.post('/v1/what-now', body)).toMatchObject(problem(400, 'parameter_invalid'))
  })

  test('about a correlation ID alone that nobody knows is 404', async () => {
    expect(await it.post('/v1/what-now', { correlationId: 'nobody', reason: 'timeout' })).toMatchObject(problem(404, 'task_not_found'))
  })

  test('a body that is no JSON is 400, one of another type 415', async () => {
    expect(await it.post('/v1/what-now', '{')).toMatchObject(problem(400, 'body_malformed'))
    expect(await it.post('/v1/what-now', 'x', { 'content-type': 'text/plain' })).toMatchObject(problem(415, 'content_type_unsupported'))
  })
})

describe('a worker', () => {
  test('is enrolled, and members that are left out keep their value', async () => {
    const first = await it.put('/v1/workers/pol%2Fw', { mesh: 'm', trust: 'card', replicas: 3, owner: 'team', substitutes: ['x'] })
    expect(first).toMatchObject({ status: 200, body: { workerId: 'pol/w', mesh: 'm', trust: 'card', replicas: 3, owner: 'team' } })
    expect((await it.put('/v1/workers/pol%2Fw', { trust: 'verify' })).body).toMatchObject({ mesh: 'm', trust: 'verify', replicas: 3 })
    expect((await it.get('/v1/workers/pol%2Fw')).body).toMatchObject({ mesh: 'm', trust: 'verify' })
  })

  test('the same policy twice is one event; there and back again is three', async () => {
    const put = (mesh: string) => it.put('/v1/workers/aba', { mesh })
    for (const mesh of ['a', 'a', 'b', 'a', 'a']) expect((await put(mesh)).status).toBe(200)
    const events = await it.eventsOf('workerId=aba&type=reconciler.worker-enrolled')
    expect(events.map(({ data }) => data)).toEqual([{ mesh: 'a' }, { mesh: 'b' }, { mesh: 'a' }])
  })

  test('secrets are taken and never shown, neither by the worker nor by the event', async () => {
    const { body } = await it.put('/v1/workers/sec', {
      push: { token: 'push-secret' }, interface: { url: 'https://w.example.com', headers: { 'x-key': 'header-secret' } },
    })
    const shown = JSON.stringify([body, await it.eventsOf('workerId=sec')])
    expect(shown).not.toContain('push-secret')
    expect(shown).not.toContain('header-secret')
    expect(body.push).toEqual({ isTokenSet: true })
  })

  test.each([
    ['a misspelt member', { trsut: 'card' }],
    ['a misspelt member of a member', { observe: { enabled: true, pollMS: 5 } }],
    ['an unknown trust', { trust: 'blind' }],
    ['no replica', { replicas: 0 }],
    ['too many substitutes', { substitutes: Array.from({ length: 101 }, String) }],
    ['a mesh that is too long', { mesh: 'm'.repeat(201) }],
    ['a mesh with a NUL', { mesh: 'a\u0000b' }],
    ['an address that is not http', { interface: { url: 'file:///etc/passwd' } }],
    ['an address with a password', { interface: { url: 'https://ann:secret@w.example.com/' } }],
    ['a card address with a user', { interface: { url: 'https://w.example.com/', cardUrl: 'https://ann@w.example.com/card.json' } }],
    ['a header whose name is none', { interface: { url: 'https://w.example.com/', headers: { 'bad name': 'x' } } }],
    ['a header without a name', { interface: { url: 'https://w.example.com/', headers: { '': 'x' } } }],
    ['a header whose value no header can have', { interface: { url: 'https://w.example.com/', headers: { 'x-key': '€' } } }],
    ['a header of the connection', { interface: { url: 'https://w.example.com/', headers: { 'Content-Length': '3' } } }],
    ['no object', []],
  ])('with %s is 400', async (_name, policy) => {
    expect(await it.put('/v1/workers/bad', policy)).toMatchObject(problem(400, 'parameter_invalid'))
    expect(await it.get('/v1/workers/bad')).toMatchObject(problem(404, 'worker_not_found'))
  })

  test('shows what its tasks say about it', async () => {
    const position = await it.record([{ type: 'a2a.worker-restarted', workerid: 'seen-w', time: at(5), data: {} }, ...lost('seen')])
    await it.get(`/v1/tasks?atLeast=${position}`)
    const { body } = await it.get('/v1/workers/seen-w')
    expect(body).toMatchObject({ states: { observed: ['working'] }, conditions: { C1: { status: 'refuted' } } })
  })

  test('is in the list of all, page by page', async () => {
    const seen: string[] = []
    for (let after: number | null = 0; after !== null; ) {
      const { body } = await it.get(`/v1/workers?limit=7&after=${after}`)
      seen.push(...body.workers.map(({ workerId }: { workerId: string }) => workerId))
      after = body.next
    }
    expect(seen).toContain('aba')
    expect(new Set(seen).size).toBe(seen.length)
  })
})

describe('a link', () => {
  const synthetic = (name: string): string => `~${name}-w/${name}-t`
  const pathOf = (correlationId: string): string => `/v1/tasks/${encodeURIComponent(correlationId)}`
  const listed = async (correlationId: string): Promise<string | undefined> => {
    const { body } = await it.get('/v1/tasks?limit=100&state=&workerId=' + encodeURIComponent(correlationId.replace(/^~|\/.*$/g, '')))
    return body.tasks.find((task: { correlationId: string }) => task.correlationId === correlationId)?.state
  }
  const seen = (name: string, state: string, seconds: number) => polled(`${name}-w`, `${name}-t`, state, seconds)

  test('that a person makes joins two tasks, what comes later too; undone they are two again, and it can be made again', async () => {
    await it.record([dispatch('hand', 'hand-w'), answered('hand', 'hand-w', 'hand-first'), seen('hand', 'TASK_STATE_WORKING', 5)])
    const made = await it.post('/v1/links', { from: synthetic('hand'), to: 'hand', by: 'ann', because: 'same order' })
    expect(made).toMatchObject({ status: 200, body: { from: synthetic('hand'), to: 'hand', by: 'ann', because: 'same order', position: expect.any(Number) } })
    expect((await it.post('/v1/links', { from: synthetic('hand'), to: 'hand', by: 'bob' })).body).toEqual(made.body)
    expect((await it.get(pathOf(synthetic('hand')))).headers.get('location')).toBe('/v1/tasks/hand')
    const position = await it.record([seen('hand', 'TASK_STATE_COMPLETED', 9)])
    const joined = await it.get(`/v1/tasks/hand?atLeast=${position}`)
    expect(joined.body).toMatchObject({ state: 'completed', attempts: [{ taskId: 'hand-first' }, { taskId: 'hand-t', state: 'completed' }], links: [made.body] })
    await expect.poll(() => listed(synthetic('hand'))).toBeUndefined()

    const undone = await it.post('/v1/links/undo', { from: synthetic('hand'), to: 'hand', by: 'bob' })
    expect(undone).toMatchObject({ status: 200, body: { by: 'bob' } })
    expect((await it.post('/v1/links/undo', { from: synthetic('hand'), to: 'hand', by: 'ann' })).body).toEqual(undone.body)
    expect((await it.get(pathOf(synthetic('hand')))).body).toMatchObject({ state: 'completed', attempts: [{ taskId: 'hand-t' }] })
    const apart = (await it.get('/v1/tasks/hand')).body
    expect(apart).toMatchObject({ state: 'working', attempts: [{ taskId: 'hand-first' }] })
    expect(apart.links).toBeUndefined()
    await expect.poll(() => listed(synthetic('hand'))).toBe('completed')

    expect((await it.post('/v1/links', { from: synthetic('hand'), to: 'hand', by: 'ann' })).status).toBe(200)
    expect((await it.get(pathOf(synthetic('hand')))).status).toBe(308)
    const events = await it.eventsOf('correlationId=hand')
    expect(events.map(({ type }) => type).filter((type) => String(type).startsWith('ledger.'))).toEqual([
      'ledger.correlation-linked', 'ledger.correlation-unlinked', 'ledger.correlation-linked',
    ])
  })

  test('to a correlation ID of nothing else makes it a task; undone, there is none of that ID', async () => {
    await it.record([seen('new1', 'TASK_STATE_WORKING', 5), seen('new2', 'TASK_STATE_COMPLETED', 6)])
    for (const name of ['new1', 'new2']) expect((await it.post('/v1/links', { from: synthetic(name), to: 'new-one', by: 'ann' })).status).toBe(200)
    expect((await it.get('/v1/tasks/new-one')).body).toMatchObject({ state: 'completed', attempts: [{ workerId: 'new1-w' }, { workerId: 'new2-w' }] })
    for (const name of ['new1', 'new2']) expect((await it.post('/v1/links/undo', { from: synthetic(name), to: 'new-one', by: 'ann' })).status).toBe(200)
    expect(await it.get('/v1/tasks/new-one')).toMatchObject(problem(404, 'task_not_found'))
    await expect.poll(async () => (await it.get('/v1/tasks?workerId=new1-w')).body.tasks.map(({ correlationId }: { correlationId: string }) => correlationId)).toEqual([synthetic('new1')])
  })

  test('that the ledger made can be undone: what only the link put there goes back, and it is not made again', async () => {
    await it.record([seen('auto', 'TASK_STATE_WORKING', 3), { ...seen('auto', 'TASK_STATE_WORKING', 4), correlationid: 'auto' }, seen('auto', 'TASK_STATE_COMPLETED', 6)])
    await expect.poll(async () => (await it.get('/v1/tasks/auto')).body.state).toBe('completed')
    expect((await it.post('/v1/links/undo', { from: synthetic('auto'), to: 'auto', by: 'ann' })).status).toBe(200)
    expect((await it.get('/v1/tasks/auto')).body).toMatchObject({ state: 'working' })
    expect((await it.get(pathOf(synthetic('auto')))).body).toMatchObject({ state: 'completed' })
    const position = await it.record([{ ...seen('auto', 'TASK_STATE_WORKING', 7), correlationid: 'auto' }, seen('auto', 'TASK_STATE_COMPLETED', 8)])
    expect((await it.get(`${pathOf(synthetic('auto'))}?atLeast=${position}`)).body).toMatchObject({ state: 'completed' })
    expect((await it.get('/v1/tasks/auto')).body).toMatchObject({ state: 'working' })
    const timeline = await it.get(`${pathOf(synthetic('auto'))}/timeline`)
    expect(timeline.body.entries).toHaveLength(3)
  })

  test('leaves one verdict on one loss, whichever stream was decided on; apart, each has its own', async () => {
    const position = await it.record([seen('both', 'TASK_STATE_WORKING', 2), notFound('both-w', 'both-t', 10)])
    await it.get(`/v1/tasks?atLeast=${position}`)
    const verdictOf = async (correlationId: string) => (await it.get(pathOf(correlationId))).body.verdict
    await expect.poll(async () => (await verdictOf(synthetic('both')))?.kind).toBe('unreconcilable')
    const before = await verdictOf(synthetic('both'))
    await it.post('/v1/links', { from: synthetic('both'), to: 'both', by: 'ann' })
    expect((await it.post('/v1/what-now', { workerId: 'both-w', taskId: 'both-t', reason: 'not-found', time: at(20) })).body).toMatchObject({ decisionId: before.decisionId })
    expect(await verdictOf('both')).toMatchObject({ decisionId: before.decisionId, position: before.position })
    expect(await it.eventsOf('correlationId=both&type=reconciler.verdict')).toHaveLength(1)
    await it.post('/v1/links/undo', { from: synthetic('both'), to: 'both', by: 'ann' })
    expect(await verdictOf(synthetic('both'))).toMatchObject({ decisionId: before.decisionId })
  })

  test('a claim that is taken back is shown on the task of its own that it is then', async () => {
    const claim = { 'urn:a2a-ledger:task-continuity:v1': { correlationId: 'early' } }
    await it.record([polled('early-w', 'early-t', 'TASK_STATE_COMPLETED', 3, { metadata: claim })])
    await expect.poll(async () => (await it.get('/v1/tasks/early')).body.state).toBe('completed')
    const position = await it.record([dispatch('early', 'early-w2', 4)])
    expect((await it.get(`/v1/tasks/early?atLeast=${position}`)).body).toMatchObject({ state: 'dispatched', attempts: [] })
    expect((await it.get(pathOf(synthetic('early')))).body).toMatchObject({ state: 'completed', violations: [{ code: 'correlation_claimed' }] })
    await expect.poll(() => listed(synthetic('early'))).toBe('completed')
    await expect.poll(async () => (await it.get('/v1/tasks?workerId=early-w2')).body.tasks[0]).toMatchObject({ correlationId: 'early', state: 'dispatched' })
  })

  test('another task on the stream of a task is a violation of that task', async () => {
    const update = (taskId: string, more: object = {}) => ({
      type: 'a2a.status-update', operation: 'SendStreamingMessage', workerid: 'str-w', streamid: 'str-1', time: at(3),
      data: { taskId, contextId: 'c', status: { state: 'TASK_STATE_WORKING' } }, ...more,
    })
    const position = await it.record([dispatch('str', 'str-w'), update('str-t1', { correlationid: 'str' }), update('str-t2')])
    expect((await it.get(`/v1/tasks/str?atLeast=${position}`)).body.violations).toMatchObject([{ code: 'task_id_changed', position, taskId: 'str-t2' }])
  })

  test('is in the list while it stands, page by page', async () => {
    const all: string[] = []
    for (let after: string | null = '0'; after !== null; ) {
      const { status, body } = await it.get(`/v1/links?status=linked&limit=1&after=${after}`)
      expect(status).toBe(200)
      all.push(...body.links.map(({ from }: { from: string }) => from))
      after = body.next
    }
    expect(all).toContain(synthetic('hand'))
    expect(all).not.toContain(synthetic('auto'))
    expect(new Set(all).size).toBe(all.length)
  })

  test('of a task that is linked elsewhere is 409 and says to which; of nothing it is 404', async () => {
    const conflict = await it.post('/v1/links', { from: synthetic('hand'), to: 'hand-other', by: 'ann' })
    expect(conflict).toMatchObject(problem(409, 'link_conflict'))
    expect(conflict.body.detail).toContain('"hand"')
    expect(await it.post('/v1/links', { from: '~hand-w/none', to: 'hand', by: 'ann' })).toMatchObject(problem(404, 'task_not_found'))
    expect(await it.post('/v1/links/undo', { from: synthetic('hand'), to: 'hand-other', by: 'ann' })).toMatchObject(problem(404, 'link_not_found'))
    expect(await it.post('/v1/links/undo', { from: '~hand-w/none', to: 'hand', by: 'ann' })).toMatchObject(problem(404, 'link_not_found'))
  })

  test.each([
    ['from what is no synthetic ID', { from: 'hand', to: 'other', by: 'ann' }, 'no synthetic ID'],
    ['from the stream of a worker', { from: '~hand-w', to: 'other', by: 'ann' }, 'no synthetic ID'],
    ['to a synthetic ID', { from: '~hand-w/hand-t', to: '~w/t', by: 'ann' }, 'of your own'],
    ['without who says so', { from: '~hand-w/hand-t', to: 'hand' }, 'by'],
    ['with a misspelt member', { from: '~hand-w/hand-t', to: 'hand', by: 'ann', becuase: 'x' }, 'becuase'],
    ['to an ID with control characters', { from: '~hand-w/hand-t', to: 'a\u0000b', by: 'ann' }, 'control characters'],
  ])('%s is 400, which says what to do', async (_name, body, said) => {
    const answer = await it.post('/v1/links', body)
    expect(answer).toMatchObject(problem(400, 'parameter_invalid'))
    expect(answer.body.detail).toContain(said)
  })
})

describe('a suggested link', () => {
  const sends = (worker: string, text: string, messageId: string, seconds: number) => ({
    type: 'a2a.dispatch', operation: 'SendMessage', workerid: worker, time: at(seconds),
    data: { message: { role: 'ROLE_USER', messageId, parts: [{ text }] } },
  })
  const answers = (worker: string, taskId: string, seconds: number, more: object = {}) => ({
    type: 'a2a.response', operation: 'SendMessage', workerid: worker, time: at(seconds),
    data: { result: { task: { id: taskId, contextId: `${taskId}-c`, status: { state: 'TASK_STATE_WORKING' } } } }, ...more,
  })
  interface Suggestion { readonly correlationIds: readonly string[]; readonly reason: string }
  const suggestionsOf = async (correlationId: string): Promise<readonly Suggestion[]> =>
    (await it.get(`/v1/tasks/${encodeURIComponent(correlationId)}`)).body.suggestedLinks ?? []
  const settled = async (position: number) => expect((await it.get(`/v1/tasks?atLeast=${position}&timeoutMs=60000`)).status).toBe(200)

  test('tells a mesh without correlation IDs of its double work, at one worker and at two; accepted, it is one task; undone, two', async () => {
    for (const n of [1, 2]) await it.put(`/v1/workers/dbl-w${n}`, { mesh: 'dbl' })
    const position = await it.record([
      sends('dbl-w1', 'the report of May', 'dbl-1', 1), answers('dbl-w1', 'dbl-t1', 2),
      sends('dbl-w1', 'the report of May', 'dbl-2', 3), answers('dbl-w1', 'dbl-t2', 4),
      sends('dbl-w2', 'the report of May', 'dbl-3', 5), answers('dbl-w2', 'dbl-t3', 6),
      sends('dbl-w2', 'the report of June', 'dbl-4', 7), answers('dbl-w2', 'dbl-t4', 8),
    ])
    await settled(position)
    const [one, two, three] = ['~dbl-w1/dbl-t1', '~dbl-w1/dbl-t2', '~dbl-w2/dbl-t3']
    const found = await suggestionsOf(one)
    expect(found).toMatchObject([
      { correlationIds: [one, two], workerIds: ['dbl-w1', 'dbl-w1'], reason: 'same-content', finding: 'duplicate_execution', how: expect.stringContaining('your own') },
      { correlationIds: [one, three], workerIds: ['dbl-w1', 'dbl-w2'], reason: 'same-content', finding: 'duplicate_execution' },
    ])
    expect(await suggestionsOf('~dbl-w2/dbl-t4')).toEqual([])
    const listed: Suggestion[] = []
    for (let after: string | null = '0'; after !== null; ) {
      const { body } = await it.get(`/v1/links?limit=1&after=${after}`)
      listed.push(...body.links)
      after = body.next
    }
    expect(listed.filter(({ correlationIds }) => correlationIds[0]?.startsWith('~dbl'))).toHaveLength(3)

    for (const from of [one, two]) expect((await it.post('/v1/links', { from, to: 'dbl-may', by: 'ann' })).status).toBe(200)
    expect((await it.get('/v1/tasks/dbl-may')).body).toMatchObject({ attempts: [{ taskId: 'dbl-t1' }, { taskId: 'dbl-t2' }] })
    await expect.poll(() => suggestionsOf('dbl-may')).toMatchObject([{ reason: 'same-content', accept: { from: three, to: 'dbl-may' } }])
    expect((await it.post('/v1/links/undo', { from: two, to: 'dbl-may', by: 'ann' })).status).toBe(200)
    await expect.poll(async () => (await suggestionsOf(two)).map(({ correlationIds }) => correlationIds)).toEqual([['dbl-may', two], [two, three]])
    expect((await suggestionsOf(two))[0]).toMatchObject({ accept: { from: two, to: 'dbl-may' }, undoneAt: expect.any(Number) })
  })

  test('says what a task that nobody attributed may be part of: by its context, by its message', async () => {
    const known = { correlationid: 'sug-k' }
    const position = await it.record([
      dispatch('sug-k', 'sug-w'), answers('sug-w', 'sug-t1', 2, known),
      { ...polled('sug-w', 'sug-t2', 'TASK_STATE_WORKING', 5), data: { result: { id: 'sug-t2', contextId: 'sug-t1-c', status: { state: 'TASK_STATE_WORKING' } } } },
      { ...sends('sug-w', 'twice a', 'sug-twice', 10), correlationid: 'sug-a' }, { ...sends('sug-w', 'twice b', 'sug-twice', 11), correlationid: 'sug-b' },
      { ...polled('sug-w', 'sug-t3', 'TASK_STATE_WORKING', 12), messageid: 'sug-twice', data: { result: { id: 'sug-t3', contextId: 'other', status: { state: 'TASK_STATE_WORKING' } } } },
    ])
    await settled(position)
    expect(await suggestionsOf('~sug-w/sug-t2')).toMatchObject([{ correlationIds: ['sug-k', '~sug-w/sug-t2'], reason: 'same-context', accept: { from: '~sug-w/sug-t2', to: 'sug-k' } }])
    expect((await suggestionsOf('~sug-w/sug-t3')).map(({ correlationIds, reason }) => [correlationIds[0], reason])).toEqual([['sug-a', 'same-message'], ['sug-b', 'same-message']])
    expect((await suggestionsOf('sug-k'))[0]).not.toHaveProperty('finding')
  })

  test('is made of no routine, of no other mesh, of nothing long ago', async () => {
    await it.put('/v1/workers/far-w', { mesh: 'far' })
    const routine = Array.from({ length: 23 }, (_, n) => [sends('rou-w', 'ping', `rou-${n}`, 1 + n * 2), answers('rou-w', `rou-t${n}`, 2 + n * 2)]).flat()
    const day = 86_400
    const position = await it.record([
      ...routine,
      sends('near-w', 'far away', 'near-1', 1), answers('near-w', 'near-t', 2),
      sends('far-w', 'far away', 'far-1', 3), answers('far-w', 'far-t', 4),
      sends('old-w', 'long ago', 'old-1', -day), answers('old-w', 'old-t1', 1 - day),
      sends('old-w', 'long ago', 'old-2', 5), answers('old-w', 'old-t2', 6),
    ])
    await settled(position)
    expect(await suggestionsOf('~rou-w/rou-t22')).toEqual([])
    expect(await suggestionsOf('~near-w/near-t')).toEqual([])
    expect(await suggestionsOf('~old-w/old-t2')).toEqual([])
  })

  test.each(['after=x', 'after=1-2-3', 'limit=0', 'status=maybe'])('a list with %s is 400', async (query) => {
    expect(await it.get(`/v1/links?${query}`)).toMatchObject(problem(400, 'parameter_invalid'))
  })
})

describe('a mesh', () => {
  test('has a policy, and members that are left out keep their value', async () => {
    const rules = [{ from: 'metadata', pointer: '/order/id' }, { from: 'attribute', name: 'X-Order-Id', prefix: 'o:' }]
    const first = await it.put('/v1/meshes/m%2F1', { redispatch: 'approve', attemptsMax: 3, ratePerMinute: 10, correlation: rules })
    const correlation = [rules[0], { from: 'attribute', name: 'xorderid', prefix: 'o:' }]
    expect(first).toMatchObject({ status: 200, body: { mesh: 'm/1', redispatch: 'approve', attemptsMax: 3, ratePerMinute: 10, correlation } })
    expect((await it.put('/v1/meshes/m%2F1', { redispatch: 'auto', cancelLoser: true })).body).toEqual({ mesh: 'm/1', redispatch: 'auto', attemptsMax: 3, ratePerMinute: 10, cancelLoser: true, correlation })
    expect((await it.put('/v1/meshes/m%2F1', { correlation: [] })).body).toMatchObject({ redispatch: 'auto', correlation: [] })
    expect((await it.get('/v1/meshes/m%2F1')).body).toMatchObject({ redispatch: 'auto', correlation: [] })
  })

  test('the same policy twice is one event; there and back again is three', async () => {
    for (const redispatch of ['auto', 'auto', 'advise', 'auto']) expect((await it.put('/v1/meshes/m-aba', { redispatch })).status).toBe(200)
    const events = await it.eventsOf(`correlationId=${encodeURIComponent('~')}&type=reconciler.mesh-policy`)
    const own = events.map(({ data }) => data as { mesh: string }).filter(({ mesh }) => mesh === 'm-aba')
    expect(own).toEqual(['auto', 'advise', 'auto'].map((redispatch) => ({ mesh: 'm-aba', redispatch })))
  })

  test('that nobody decided for is one when it is the default or has a worker', async () => {
    const undecided = { redispatch: 'advise', correlation: [] }
    expect(await it.get('/v1/meshes/default')).toMatchObject({ status: 200, body: { mesh: 'default', ...undecided } })
    expect(await it.get('/v1/meshes/m-worked')).toMatchObject(problem(404, 'mesh_not_found'))
    await it.put('/v1/workers/m-worker', { mesh: 'm-worked' })
    expect(await it.get('/v1/meshes/m-worked')).toMatchObject({ status: 200, body: { mesh: 'm-worked', ...undecided } })
  })

  test('its rules place what its workers do from then on, and the view is of that task', async () => {
    await it.put('/v1/workers/ruled-w', { mesh: 'ruled' })
    await it.put('/v1/meshes/ruled', { correlation: [{ from: 'metadata', pointer: '/order' }] })
    const send = dispatch('', 'ruled-w')
    const position = await it.record([
      { ...send, correlationid: undefined, data: { message: { ...send.data.message, messageId: 'ruled-m' }, metadata: { order: 'ruled-1' } } },
      { ...answered('', 'ruled-w', 'ruled-t'), correlationid: undefined, messageid: 'ruled-m' },
      polled('ruled-w', 'ruled-t', 'TASK_STATE_COMPLETED', 5),
    ])
    const { body } = await it.get(`/v1/tasks/ruled-1?atLeast=${position}`)
    expect(body).toMatchObject({ state: 'completed', dispatches: [{ messageId: 'ruled-m', outcome: 'task' }], attempts: [{ taskId: 'ruled-t' }] })
    const events = await it.eventsOf('correlationId=ruled-1')
    expect(events.map(({ rung }) => rung)).toEqual(['metadata', 'message-link', 'task-link'])
  })

  test.each([
    ['a misspelt member', { redispach: 'auto' }, 'redispach'],
    ['an unknown mode', { redispatch: 'always' }, 'redispatch'],
    ['no attempt', { attemptsMax: 0 }, 'attemptsMax'],
    ['a cancel that is neither wanted nor not', { cancelLoser: 'yes' }, 'cancelLoser'],
    ['half a re-dispatch', { ratePerMinute: 0.5 }, 'ratePerMinute'],
    ['a rule that reads nothing known', { correlation: [{ from: 'body' }] }, 'correlation'],
    ['a pointer that is none', { correlation: [{ from: 'metadata', pointer: 'order' }] }, 'JSON pointer'],
    ['a rule that merges all of a worker', { correlation: [{ from: 'attribute', name: 'workerid' }] }, 'meaning of its own'],
    ['a prefix of the ledger', { correlation: [{ from: 'trace', prefix: '~' }] }, 'another prefix'],
    ['more rules than 20', { correlation: Array.from({ length: 21 }, () => ({ from: 'trace' })) }, 'correlation'],
    ['no object', [], 'object'],
  ])('with %s is 400, which says what to do', async (_name, policy, said) => {
    const answer = await it.put('/v1/meshes/m-bad', policy)
    expect(answer).toMatchObject(problem(400, 'parameter_invalid'))
    expect(answer.body.detail).toContain(said)
    expect(await it.get('/v1/meshes/m-bad')).toMatchObject(problem(404, 'mesh_not_found'))
  })
})

describe('operations', () => {
  test('ready says how far the feed is applied', async () => {
    const { status, body } = await it.get('/readyz')
    expect(status).toBe(200)
    expect(body).toMatchObject({ ready: true, feed: { status: 'following', appliedPosition: expect.any(Number), lag: expect.any(Number) }, incomplete: expect.any(Number) })
  })

  test('health, metrics and the description of the API are there', async () => {
    expect((await it.get('/healthz')).body).toEqual({ status: 'ok' })
    expect((await it.get('/metrics')).body).toMatch(/^a2a_ledger_feed_applied_position [1-9]/m)
    const { body } = await it.get('/openapi.json')
    expect(Object.keys(body.paths)).toEqual(
      expect.arrayContaining([
        '/v1/tasks', '/v1/tasks/{correlationId}', '/v1/tasks/{correlationId}/timeline', '/v1/tasks/{correlationId}/root-cause',
        '/v1/tasks/{correlationId}/artifacts/{key}/content', '/v1/tasks/{correlationId}/not-found', '/v1/what-now', '/v1/workers', '/v1/workers/{workerId}',
        '/v1/meshes/{mesh}', '/v1/links', '/v1/links/undo',
      ]),
    )
  })

  test('an unknown path, and a broken one, are problems', async () => {
    expect(await it.get('/v2/tasks')).toMatchObject(problem(404, 'route_not_found'))
    expect(await it.get('/v1/tasks/%E0%A4%A')).toMatchObject(problem(400, 'parameter_invalid'))
  })
})
