/** What the benchmark of the proxy needs: a worker, a ledger on its own PostgreSQL, a proxy; each a process. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { startEmbeddedPostgres } from '@a2a-ledger/infra/embedded-postgres'
import pg from 'pg'
import { prepareDatabase } from '../fault/distributed.ts'
import { createService, type MortalService } from '../support/mortal-service.ts'

export interface ProxyStage {
  readonly workerUrl: string
  /** The same worker behind the proxy. */
  readonly proxiedUrl: string
  readonly proxyUrl: string
  readonly ledger: MortalService
  /** Rows of a query to the ledger's database. */
  readonly query: <Row extends pg.QueryResultRow>(text: string) => Promise<readonly Row[]>
  readonly remove: () => Promise<void>
}

export async function startProxyStage(environment: Readonly<Record<string, string>> = {}): Promise<ProxyStage> {
  const dataDir = await mkdtemp(join(tmpdir(), 'a2a-ledger-bench-'))
  await chmod(dataDir, 0o711) // the server runs as another user where we are root
  const undo: (() => Promise<unknown>)[] = [() => rm(dataDir, { recursive: true, force: true })]
  const remove = async (): Promise<void> => {
    for (const step of undo.toReversed()) await step()
  }
  try {
    const postgres = await startEmbeddedPostgres({ dataDir })
    undo.push(() => postgres.stop())
    const urls = await prepareDatabase(postgres)
    const client = new pg.Client({ connectionString: urls.adminUrl })
    await client.connect()
    undo.push(() => client.end())
    const worker = await startBareWorker()
    undo.push(worker.stop)
    const ledger = await createService('ledger', { DATABASE_URL: urls.ledgerUrl, LOG_LEVEL: 'info' })
    await ledger.start()
    undo.push(ledger.stop)
    const { rows } = await client.query<{ internal_token: string }>('SELECT internal_token FROM ledger.access_v1')
    await enrol(ledger.url, rows[0]?.internal_token ?? '', worker.url)
    const proxy = await createService('proxy', { LEDGER_URL: ledger.url, DATA_DIR: dataDir, OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8', ...environment })
    await proxy.start()
    undo.push(proxy.stop)
    return {
      workerUrl: worker.url,
      proxiedUrl: `${proxy.url}/bench`,
      proxyUrl: proxy.url,
      ledger,
      query: async <Row extends pg.QueryResultRow>(text: string) => (await client.query<Row>(text)).rows,
      remove,
    }
  } catch (error) {
    await remove()
    throw error
  }
}

/** As the reconciler does it; a benchmark of the proxy needs no reconciler. */
async function enrol(ledgerUrl: string, token: string, url: string): Promise<void> {
  const response = await fetch(`${ledgerUrl}/internal/v1/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/cloudevents-batch+json', authorization: `Bearer ${token}` },
    body: JSON.stringify([
      { specversion: '1.0', id: 'bench', source: 'urn:a2a-ledger:reconciler', type: 'reconciler.worker-enrolled', workerid: 'bench', correlationid: '~bench', data: { interface: { url } } },
    ]),
  })
  if (!response.ok) throw new Error(`The worker could not be enrolled: ${await response.text()}`)
}

async function startBareWorker(): Promise<{ readonly url: string; readonly stop: () => Promise<unknown> }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'bare-worker.ts')], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return {
    url,
    stop: async () => {
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      await gone
    },
  }
}
