/** The SDKs that agents are built on here, with the versions of the protocol that each of them serves. */
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensureGo } from '../workers/go.ts'
import { ensurePython } from '../workers/python.ts'
import type { Sdk } from '../workers/worker-spec.ts'
import type { Protocol } from './calls.ts'

export interface LiveAgent {
  readonly sdk: Sdk
  readonly protocol: Protocol
  /** The SDK and its exact version, as pinned. */
  readonly label: string
}

const pinned = (file: string, pattern: RegExp): string => {
  const text = readFileSync(join(import.meta.dirname, '..', 'workers', file), 'utf8')
  return pattern.exec(text)?.[1] ?? 'unknown'
}

const { version: jsVersion } = createRequire(import.meta.url)('../node_modules/@a2a-js/sdk/package.json') as { version: string }
const js = `JavaScript @a2a-js/sdk ${jsVersion}`
const python = `Python a2a-sdk ${pinned('requirements.txt', /a2a-sdk\S*==(\S+)/u)}`
const python03 = `Python a2a-sdk ${pinned('requirements-0.3.txt', /a2a-sdk\S*==(\S+)/u)}`
const go = `Go a2a-go ${pinned('go_worker/go.mod', /a2a-go\/v2 v(\S+)/u)}`

export const liveAgents: readonly LiveAgent[] = [
  { sdk: 'js', protocol: '1.0', label: js },
  { sdk: 'js', protocol: '0.3', label: js },
  { sdk: 'python', protocol: '1.0', label: python },
  { sdk: 'python', protocol: '0.3', label: python },
  { sdk: 'python-0.3', protocol: '0.3', label: python03 },
  { sdk: 'go', protocol: '1.0', label: go },
  { sdk: 'go', protocol: '0.3', label: go },
]

/** The agents of one SDK, or all of them. One that cannot run here ends the process, with the reason. */
export const agentsOrExit = async (sdk: string | undefined): Promise<readonly LiveAgent[]> => {
  const agents = liveAgents.filter((agent) => sdk === undefined || agent.sdk === sdk)
  for (const agent of agents) {
    const because = await whyMissing(agent)
    if (because === undefined) continue
    console.error(because)
    process.exit(1)
  }
  return agents
}

/** Why an agent cannot run here; `undefined` when it can. What it needs is installed by asking. */
const whyMissing = async ({ sdk, protocol }: LiveAgent): Promise<string | undefined> => {
  if (sdk === 'js') return undefined
  const needed = sdk === 'go' ? await ensureGo(protocol) : await ensurePython(sdk === 'python' ? 'requirements.txt' : 'requirements-0.3.txt')
  return needed.status === 'missing' ? needed.because : undefined
}
