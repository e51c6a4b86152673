/** What every route module works with. */
import type { Applied } from '../../app/applied.ts'
import type { EnrolPorts } from '../../app/enrol-worker.ts'
import type { ObserverStatus } from '../../app/keep-observing.ts'
import type { FactStore, PushRepeats } from '../../app/ports.ts'
import type { ListPorts } from '../../app/read-list.ts'
import type { ReadPorts } from '../../app/read-task.ts'
import type { ProbePorts } from '../../app/start-probe.ts'
import type { WhatNowPorts } from '../../app/what-now.ts'

export type FeedHealth =
  | {
      readonly status: 'waiting' | 'joining' | 'following' | 'broken' | 'stopped'
      /** Those that this process applies; of the Postgres tail they are its slots. */
      readonly partitions: readonly number[]
    }
  | { readonly status: 'rewound'; readonly detail: string }

export interface Edge extends ReadPorts, ListPorts, EnrolPorts, ProbePorts, WhatNowPorts {
  readonly feed: ReadPorts['feed'] & EnrolPorts['feed']
  readonly store: FactStore
  readonly pushRepeats: PushRepeats
  readonly applied: Applied
  readonly feedHealth: () => FeedHealth
  readonly observerStatus: () => ObserverStatus
}
