/**
 * The proxy service: the only file that knows everyone.
 *
 * opening:   takes its folder, finds what an earlier process left in it. Leaves to listening, or
 *            ends with exit code 1 and one sentence when the environment, the folder or the port is
 *            wrong. The ledger may be away.
 * listening: passes calls on and tells the ledger of them. Leaves to draining on SIGTERM or SIGINT.
 * draining:  no new connections; running calls, streams too, get `DRAIN_TIMEOUT_MS`, then they are
 *            cut; what was seen goes to the ledger, or stays in the spool. A second signal changes
 *            nothing.
 */
import { randomUUID } from 'node:crypto'
import { join, resolve } from 'node:path'
import { createOutbound } from '@a2a-ledger/outbound'
import { nodeCodec } from '@a2a-ledger/service-kit/codec'
import { drain, listen, untilAborted } from '@a2a-ledger/service-kit/http'
import { logSerializers } from '@a2a-ledger/service-kit/log-errors'
import { exitWith, messageOf, processTimer as timer, stoppingOnSignal } from '@a2a-ledger/service-kit/process'
import { createByteBudget, createLedgerWriter, createPushRecorder, createRecorder, keyedHash, scopeOf, watchCall } from '@a2a-ledger/witness/recording'
import { pino } from 'pino'
import { claimFolder } from './adapters/disk/claim-folder.ts'
import { ownKey } from './adapters/disk/own-key.ts'
import { openSpool, type OpenSpool } from './adapters/disk/spool.ts'
import { createWorkerStore } from './adapters/disk/worker-store.ts'
import type { EdgeSettings } from './adapters/http/edge.ts'
import { createPushSeal } from './adapters/http/push-seal.ts'
import { createHttpServer } from './adapters/http/server.ts'
import { createEnrolmentReader } from './adapters/ledger/enrolment-reader.ts'
import { createPushTee } from './app/push-tee.ts'
import { openWorkerDirectory } from './app/worker-directory.ts'
import { type Config, readConfig } from './config.ts'

/** The `source` of everything that the proxy saw. */
const source = 'urn:a2a-ledger:proxy'
/** What telling the ledger the last of it may take. */
const lastTellMs = 5_000

const config = configOrExit()
const logger = pino({ level: config.logLevel, base: { service: 'proxy' }, serializers: logSerializers })
const stopping = stoppingOnSignal(logger)

const clock = (): number => Date.now()
const folder = join(resolve(config.dataDir), 'proxy')
const claim = claimOrExit()
const givingUp = new AbortController()
const atLedger = { url: config.ledgerUrl, signal: givingUp.signal }

const { spool, left } = await openSpoolOrExit()
const recorder = createRecorder(
  { source, spool, ledger: createLedgerWriter(atLedger), timer, clock, log: logger, newId: () => randomUUID(), chance: Math.random },
  left,
)
const directory = await openWorkerDirectory({
  enrolments: createEnrolmentReader(atLedger),
  store: createWorkerStore(join(folder, 'workers.json')),
  timer,
  log: logger,
  codec: nodeCodec,
})
const outbound = createOutbound({
  allowCidrs: config.outboundAllowCidrs,
  limits: { headersTimeoutMs: config.upstreamTimeoutMs, idleTimeoutMs: Infinity },
})
const key = config.key ?? ownKey(join(folder, 'key'))
const keyed = keyedHash(key)
const settings: EdgeSettings & { publicUrl: string } = {
  publicUrl: config.publicUrl ?? '',
  viaName: `a2a-ledger-${randomUUID()}`,
  keepAliveMs: config.sseKeepAliveMs,
  instanceHeaders: config.instanceHeaders,
  isInstanceByAddress: config.isInstanceByAddress,
}
const tee = createPushTee({
  directory,
  seal: createPushSeal(key),
  publicUrl: () => settings.publicUrl,
  isTeeingByDefault: config.isTeeingPushes,
  mayCall: (address) => {
    try {
      outbound.check(new URL(address))
      return true
    } catch {
      return false
    }
  },
  receiverUrl: new URL('/v1/push/', config.ledgerUrl).href,
})
const { app, idle } = await createHttpServer({
  edge: {
    directory,
    tee,
    recordPush: createPushRecorder({ source, record: recorder.record, miss: recorder.miss, clock, codec: nodeCodec }),
    passOn: outbound.passOn,
    watch: (context, request) => watchCall({ source, record: recorder.record, miss: recorder.miss, clock, codec: nodeCodec, newId: () => randomUUID() }, context, request),
    scopeOf: (headers, tenant) => scopeOf(keyed, nodeCodec, headers, tenant),
    recorder,
    budget: createByteBudget(config.bodyBytesInFlightMax),
    log: logger,
    settings,
    toldGrpc: new Set(),
  },
  recorder,
  spool,
  logger,
})
const url = await listen(app, { host: config.host, port: config.port, portVariable: 'PROXY_PORT' }).catch((error: unknown) => {
  claim.release()
  return exitWith(messageOf(error))
})
if (config.publicUrl === undefined) settings.publicUrl = url
logger.info({ url, publicUrl: settings.publicUrl }, 'listening')
await untilAborted(stopping)

await drain(app, config.drainTimeoutMs, idle)
directory.stop()
await recorder.stop(lastTellMs)
givingUp.abort()
await outbound.close()
await spool.close()
claim.release()
logger.info('stopped')
process.exit(0)

function configOrExit(): Config {
  const reading = readConfig(process.env)
  if (reading.outcome === 'ok') return reading.config
  return exitWith(['The proxy cannot start:', ...reading.problems].join('\n  '))
}

function claimOrExit(): ReturnType<typeof claimFolder> {
  try {
    return claimFolder(folder)
  } catch (error) {
    return exitWith(`The folder ${folder} cannot be used (DATA_DIR): ${messageOf(error)}`)
  }
}

async function openSpoolOrExit(): Promise<OpenSpool> {
  try {
    return await openSpool({ folder: join(folder, 'spool'), bytesMax: config.spoolBytesMax, log: logger, lost: (entries) => recorder.lost(entries) })
  } catch (error) {
    claim.release()
    return exitWith(`The folder ${folder} cannot be used (DATA_DIR): ${messageOf(error)}`)
  }
}
