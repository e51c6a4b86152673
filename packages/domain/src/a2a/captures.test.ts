import { describe, expect, test } from 'vitest'
import { capturedAnswers, evidenceOfNotFound, type CapturedAnswer } from '../testing/wire/captured-answers.ts'
import { hasSharedCases } from '../testing/wire/shared-cases.ts'
import { readContextOf } from '../fact/facts-of.ts'
import { readPayload, type ReadResult } from './read.ts'

const envelope = { specversion: '1.0', id: 'e', source: 'urn:captures' } as const

/** Each frame of each answer with what was made of it. */
const results: readonly { readonly answer: CapturedAnswer; readonly frame: string; readonly result: ReadResult }[] =
  capturedAnswers.flatMap((answer) =>
    answer.frames.map((frame) => ({
      answer,
      frame,
      result: readPayload(readContextOf({ attributes: { ...envelope, ...answer.attributes } }), frame),
    })),
  )

describe.skipIf(!hasSharedCases)('bodies captured from live agents beside the repository (../shared/cases)', () => {
  test('nothing is quarantined', () => {
    const quarantined = results.flatMap(({ answer, result }) =>
      result.outcome === 'quarantined' ? [{ file: answer.file, ...result }] : [],
    )
    expect(quarantined).toEqual([])
  })

  test('each not-found is as strong as its question makes it (F6)', () => {
    const wrong = results.flatMap(({ answer, result }) => {
      if (result.outcome !== 'read' || result.reading.kind !== 'error') return []
      const { name, evidence } = result.reading.error
      // A bare 404 is weak or none, by rules that have a table of their own.
      const isRight =
        name === 'RouteNotFound'
          ? evidence !== 'strong'
          : evidence === (name === 'TaskNotFound' ? evidenceOfNotFound(answer.operation) : 'none')
      return isRight ? [] : [{ file: answer.file, operation: answer.operation, name, evidence }]
    })
    expect(wrong).toEqual([])
  })

  test('tasks and updates come in the version their agent spoke, pushes in their own', () => {
    const wrong = results.flatMap(({ answer, frame, result }) => {
      const isAboutTask =
        result.outcome === 'read' &&
        ['task', 'status-update', 'artifact-update'].includes(result.reading.kind)
      if (!isAboutTask) return []
      // Python pushes the StreamResponse of v1.0 to subscribers of v0.3 too.
      const isWrappedPush =
        answer.operation === 'Push' && /^\{"(?:task|statusUpdate|artifactUpdate)"/.test(frame)
      const want = isWrappedPush ? '1.0' : answer.protocol
      const told = result.reading.protocolVersion
      return told === want ? [] : [{ file: answer.file, told }]
    })
    expect(wrong).toEqual([])
  })
})
