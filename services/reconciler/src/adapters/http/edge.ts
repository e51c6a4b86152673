/** What every route module works with. */
import type { Applied } from '../../app/applied.ts'
import type { EnrolPorts } from '../../app/enrol-worker.ts'
import type { FeedStatus } from '../../app/follow-feed.ts'
import type { FactStore } from '../../app/ports.ts'
import type { ListPorts } from '../../app/read-list.ts'
import type { ReadPorts } from '../../app/read-task.ts'
import type { WhatNowPorts } from '../../app/what-now.ts'

export interface Edge extends ReadPorts, ListPorts, EnrolPorts, WhatNowPorts {
  readonly feed: ReadPorts['feed'] & EnrolPorts['feed']
  readonly store: FactStore
  readonly applied: Applied
  readonly feedStatus: () => FeedStatus
}
