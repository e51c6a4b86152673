import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  answered,
  bare404,
  card,
  chunk,
  concluded,
  enrolled,
  found,
  messaged,
  missed,
  ms,
  piece,
  pushed,
  refused,
  restarted,
  sent,
  streamEnded,
  taskAfter,
  unanswered,
  unreadable,
  type Line,
} from '../testing/history.ts'
import { runCount, seed } from '../testing/seed.ts'
import { undefinedMembersOf } from '../testing/undefined-members.ts'
import { explainTask } from './explain-task.ts'
import type { CauseCode } from './finding.ts'

const explained = (lines: readonly Line[], world?: Parameters<typeof taskAfter>[1]) => explainTask(taskAfter(lines, world))
const lost = [sent(), answered('working'), restarted(), missed()]

describe('a finding', () => {
  it('has cause, confidence, who is responsible, why, and what to do', () => {
    expect(explained(lost).findings).toEqual([
      {
        cause: 'lost_on_restart',
        confidence: 'strong',
        responsible: 'worker',
        because: [2, 3, 4],
        nextAction: 'Follow the verdict of the task, and have w1 keep its tasks in a store that survives a restart.',
      },
    ])
  })

  it('names the owner of the worker where the worker is responsible', () => {
    expect(explained([enrolled({ owner: 'team-a' }), ...lost]).findings[0]?.owner).toBe('team-a')
  })

  it('names no owner where somebody else is responsible', () => {
    expect(explained([enrolled({ owner: 'team-a' }), sent(), refused()]).findings[0]).not.toHaveProperty('owner')
  })

  it('of what goes on is dated by the event with which it began', () => {
    const json = { holding: [piece('x', { mediaTypes: ['application/json'] })] }
    const { findings } = explained([card({ at: 0 }), sent({ at: 1 }), answered('working', { at: 2, ...json }), found('working', { at: 3, holding: [piece('x')] }), found('working', { at: 4, ...json })])
    expect(findings).toMatchObject([{ cause: 'media_type_drift', because: [3, 4, 5], since: { position: 4, time: new Date(ms(3)).toISOString() } }])
  })

  it('of a worker joins what is told of its tasks, with the surest confidence', () => {
    const { findings } = explained([
      missed({ task: 't-8', operation: 'SubscribeToTask', evidence: 'weak' }),
      missed({ task: 't-9' }),
      sent(),
      answered('working'),
    ])
    expect(findings).toMatchObject([{ cause: 'never_existed', confidence: 'likely', because: [1, 2] }])
  })

  it('is left out when nothing is wrong', () => {
    expect(explained([sent(), answered('working'), found('completed', { holding: [piece('42')] })]).findings).toEqual([])
  })

  it('does not come from events that belong to another task (K2)', () => {
    const conflict = { code: 'correlation_conflict', correlationId: 'k-2' } as const
    expect(explained([sent(), answered('working'), missed({ task: 't-9', refused: conflict })]).findings).toEqual([])
  })
})

describe('findings of two workers stand apart', () => {
  it.each<[string, (worker: string) => readonly Line[]]>([
    ['gateway_error', (worker) => [refused({ worker, name: 'Unavailable', codeSpace: 'http', code: 502, isFromGateway: true })]],
    ['premature_failure', (worker) => [sent({ worker }), answered('working', { worker }), concluded('failed', { worker })]],
    ['route_not_found', (worker) => [bare404({ worker })]],
    ['downstream_timeout', (worker) => [refused({ worker, text: 'The tool call timed out: upstream MCP server timeout' })]],
    ['worker_protocol_fault', (worker) => [refused({ worker, name: 'InvalidAgentResponse', code: -32006 })]],
    ['state_not_declared', (worker) => [card({ worker, at: 0, reachableStates: ['completed'] }), sent({ worker }), answered('working', { worker })]],
  ])('%s', (cause, of) => {
    const { findings } = explained([...of('w1'), ...of('w2')])
    const found = findings.filter((finding) => finding.cause === cause)
    expect(found.map(({ because }) => because.length > 0)).toEqual([true, true])
  })
})

describe('the order of findings', () => {
  it('what explains the state comes first', () => {
    const { findings } = explained([sent(), answered('working'), bare404(), pushed('failed', { text: 'Interrupted by a restart' })])
    expect(findings.map(({ cause }) => cause)).toEqual(['worker_interrupted', 'route_not_found'])
  })

  it.each<[string, readonly Line[], readonly CauseCode[]]>([
    ['found again after it was missed and then silent: the replicas', [sent(), answered('working'), missed(), found('working')], ['replica_miss', 'worker_silent']],
    ['asked for under another credential and then silent: the credential', [sent({ scope: 'a' }), answered('working'), missed({ scope: 'b' })], ['not_accessible', 'worker_silent']],
    ['what happened at another worker explains no silence of this one', [sent(), answered('working'), missed(), found('working'), sent({ worker: 'w2' }), answered('working', { worker: 'w2' })], ['worker_silent', 'replica_miss', 'duplicate_execution']],
  ])('%s', (_fact, lines, causes) => {
    expect(explainTask(taskAfter(lines, { asOf: 100 * 86_400 })).findings.map(({ cause }) => cause)).toEqual(causes)
  })

  it('of two lost tasks the current one comes first', () => {
    const { findings } = explained([...lost, sent({ worker: 'w2' }), answered('working', { worker: 'w2' }), missed({ worker: 'w2' })])
    expect(findings.map(({ cause }) => cause)).toEqual(['cause_unknown', 'lost_on_restart'])
  })
})

const linesOf: fc.Arbitrary<readonly Line[]> = fc.array(
  fc
    .record({
      at: fc.integer({ min: 0, max: 200_000 }),
      task: fc.constantFrom('t-1', 't-2'),
      worker: fc.constantFrom('w1', 'w2'),
      state: fc.constantFrom(
        'submitted' as const,
        'working' as const,
        'input-required' as const,
        'auth-required' as const,
        'completed' as const,
        'failed' as const,
        'canceled' as const,
        'unknown' as const,
      ),
      kind: fc.integer({ min: 0, max: 16 }),
      text: fc.string({ unit: 'binary', maxLength: 20 }),
    })
    .map(({ at, task, worker, state, kind, text }): Line => {
      const told = { at, task, worker }
      const lines: readonly Line[] = [
        sent({ at, worker }),
        sent({ at, worker, naming: task, contextId: 'c-1', believed: state }),
        sent({ at, worker, contextId: 'c-1', sentMessageId: 'm-2' }),
        answered(state, { ...told, contextId: 'c-1', text }),
        found(state, { ...told, text, holding: [piece(text)] }),
        found(state, told),
        pushed(state, { ...told, stamped: at - 5 }),
        missed(told),
        missed({ ...told, scope: text }),
        bare404(told),
        refused({ at, worker }),
        unanswered({ at, worker }),
        streamEnded(told),
        concluded('failed', told),
        chunk(text, told),
        restarted({ at, worker }),
        kind % 2 === 0 ? card({ at, worker, maxAgeMs: 1_000, reachableStates: ['working'], retentionSeconds: 60 }) : messaged(text, { at, worker }),
      ]
      return lines[kind] ?? unreadable(told)
    }),
  { maxLength: 25 },
)

const runs = { numRuns: runCount, seed }

describe('what comes first', () => {
  it.each<[string, readonly Line[], readonly string[]]>([
    ['what explains the state, before what was found earlier in the order', [missed({ task: 't-9' }), sent(), answered('input-required')], ['waiting_for_input', 'never_existed', 'input_prompt_missing']],
    ['not enough not-founds of a contested task tell of replicas, and of no loss', [sent(), answered('working'), missed(), found('working'), missed()], ['replica_miss']],
    ['one replica of two that missed it tells of nothing', [enrolled({ replicas: 2 }), sent(), answered('working'), restarted({ instance: 'b' }), missed({ instance: 'a' })], []],
  ])('%s', (_fact, lines, causes) => {
    expect(explained(lines).findings.map(({ cause }) => cause)).toEqual(causes)
  })

  it('of very many findings a hundred', () => {
    const { findings } = explained(Array.from({ length: 120 }, (_, index) => missed({ worker: `w-${index}`, task: 't-9' })))
    expect([findings.length, findings.at(-1)?.because]).toEqual([100, [100]])
  })

  it('names the owner of the worker where who runs it is responsible', () => {
    expect(explained([enrolled({ owner: 'team-a' }), sent(), answered('working'), missed(), found('working')]).findings).toMatchObject([{ cause: 'replica_miss', responsible: 'platform', owner: 'team-a' }])
  })
})

describe(`whatever happened, seed ${seed}`, () => {
  it('every finding is told by positions of the history, in order, and at most twenty', () => {
    fc.assert(
      fc.property(linesOf, (lines) => {
        const { findings, summary } = explained(lines, { asOf: 300_000 })
        expect(summary).toMatch(/^The task [^\p{Cc}]+\.$/su)
        expect(undefinedMembersOf(findings)).toEqual([])
        for (const { because, nextAction } of findings) {
          expect(because.length).toBeGreaterThan(0)
          expect(because.length).toBeLessThanOrEqual(20)
          expect(because).toEqual([...new Set(because)].toSorted((left, right) => left - right))
          expect(because.every((position) => position >= 1 && position <= lines.length)).toBe(true)
          expect(nextAction).toMatch(/^[A-Z][^{}]*\.$/)
        }
      }),
      runs,
    )
  })

  it('a lost task has exactly one leading loss cause', () => {
    const losses = new Set(['lost_on_restart', 'store_lost', 'retention_expired', 'other_id', 'cause_unknown'])
    fc.assert(
      fc.property(linesOf, (lines) => {
        const analysis = taskAfter(lines)
        const workers = new Set(analysis.attempts.filter(({ life }) => life === 'lost').map(({ workerId }) => workerId))
        const count = explainTask(analysis).findings.filter(({ cause }) => losses.has(cause)).length
        const lostCount = analysis.attempts.filter(({ life }) => life === 'lost').length
        expect(count).toBeGreaterThanOrEqual(workers.size)
        expect(count).toBeLessThanOrEqual(lostCount)
      }),
      runs,
    )
  })

  it('the order in which facts are handed over does not matter', () => {
    fc.assert(
      fc.property(linesOf, (lines) => {
        const analysis = taskAfter(lines)
        expect(explainTask({ ...analysis, facts: analysis.facts.toReversed() })).toEqual(explainTask(analysis))
      }),
      runs,
    )
  })
})
