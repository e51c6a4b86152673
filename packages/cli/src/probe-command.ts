/** `a2a-ledger probe <url>`: one probe from a terminal, without a database. */
import { spawn } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { probeViewOf, type ProbeEntry, type ProbeRecord, type ProbeStepData } from '@a2a-ledger/domain'
import { createOutbound, isCidr } from '@a2a-ledger/outbound'
import { defaultPlan, type ProbeJob, type ProbePorts, runProbe } from '@a2a-ledger/probe'
import { type Command, InvalidArgumentError } from 'commander'
import { awaitRestart, type RestartWatch } from './await-restart.ts'
import { exitCodes } from './exit-codes.ts'
import { type OpenReceiver, receivePush } from './receive-push.ts'
import { judge, requirementNames, requirements } from './requirements.ts'
import { scorecard } from './scorecard.ts'

export interface CommandEdge {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  readonly exit: (code: number) => void
  readonly stopping: AbortSignal
}

interface Options {
  readonly json?: true
  readonly quiet?: true
  readonly require: readonly string[]
  readonly message?: string
  readonly park?: true
  readonly restart?: string
  readonly wait: number
  readonly retention: number
  readonly receivePush?: string
  readonly allowCidr: readonly string[]
  readonly header: Readonly<Record<string, string>>
  readonly timeout: number
}

export function addProbeCommand(program: Command, edge: CommandEdge): void {
  program
    .command('probe')
    .description('Sends an agent a canary and tells what it really does, beside what its card promises.')
    .argument('<url>', 'the agent card, or the address of the agent', httpUrl)
    .option('--json', 'print one JSON document instead of the scorecard')
    .option('--quiet', 'no progress while it runs')
    .option('--require <names>', 'what has to hold for exit code 0, with commas', names, [])
    .option('--message <text>', 'what to send; default: what the card declares for a canary, else a text of ours')
    .option('--park', 'leave a second canary waiting until the agent went away and came back')
    .option('--restart <command>', 'the same, and run this command to restart the agent')
    .option('--wait <seconds>', 'how long to wait for the restart', seconds, 300)
    .option('--retention <seconds>', 'how long to ask for the ended task', seconds, 0)
    .option('--receive-push <url>', 'listen here for push notifications of the agent', httpUrl)
    .option('--allow-cidr <blocks>', 'addresses that may be called although they are not public, with commas', cidrs, [])
    .option('--header <"name: value">', 'sent with calls to the origin of <url>; may be repeated', header, {})
    .option('--timeout <seconds>', 'for one step', seconds, defaultPlan.stepMsMax / 1_000)
    .addHelpText(
      'after',
      [
        '',
        'What --require takes:',
        ...Object.entries(requirements).map(([name, { says }]) => `  ${name.padEnd(18)}${says}`),
        `  ${'<a state>'.padEnd(18)}that state was confirmed, for instance input-required`,
        '',
        'Exit codes: 0 everything required holds; 1 something does not; 2 the probe could not be done.',
        '',
        'An agent on this machine: a2a-ledger probe http://127.0.0.1:9000 --allow-cidr 127.0.0.0/8',
      ].join('\n'),
    )
    .action(async (url: string, options: Options) => edge.exit(await probe(url, options, edge)))
}

async function probe(cardUrl: string, options: Options, edge: CommandEdge): Promise<number> {
  const { stopping } = edge
  const say = (text: string): void => {
    if (options.quiet !== true) edge.err(`${text}\n`)
  }
  const receiver = options.receivePush === undefined ? undefined : await receivePush(options.receivePush, randomUUID())
  try {
    const entries: ProbeEntry[] = []
    const ports = portsOf(options, entries, receiver)
    const job = {
      probeId: randomUUID(),
      subject: { cardUrl, headers: options.header },
      plan: {
        ...defaultPlan,
        ...(options.message !== undefined && { message: options.message }),
        park: options.park === true || options.restart !== undefined,
        retentionMs: options.retention * 1_000,
        stepMsMax: options.timeout * 1_000,
        totalMsMax: defaultPlan.totalMsMax + options.retention * 1_000,
      },
      owner: 'terminal',
      onProgress: (_record: ProbeRecord, moment: ProbeStepData) => {
        if (moment.phase === 'begun') say(`  ${moment.step} …`)
        if (moment.phase === 'ended') say(`  ${moment.step}: ${moment.outcome}${moment.detail === undefined ? '' : ` (${moment.detail})`}`)
      },
    } satisfies Omit<ProbeJob, 'entries' | 'restart'>
    say(`probing ${cardUrl}`)
    const first = await runProbe({ ...job, entries: [], restart: () => 'unknown' }, ports, stopping)
    const last = first.outcome === 'parked' ? await goOnAfterRestart(job, entries, ports, { options, edge, say }) : first
    const { record } = last
    if (record === undefined) throw new Error('a probe without a record')
    const finding = { view: probeViewOf(record), learned: record.learned }
    const judged = options.require.map((name) => judge(name, finding))
    const isDone = finding.view.state === 'done'
    const exitCode = !isDone ? exitCodes.notDone : judged.every(({ isMet }) => isMet) ? exitCodes.met : exitCodes.notMet
    const { card } = record.learned
    edge.out(
      options.json === true
        ? `${JSON.stringify({ url: cardUrl, worker: { name: card?.name, ...card?.targets[0] }, advertised: { states: card?.states ?? [], mediaTypes: card?.mediaTypes ?? [] }, ...finding.view, strayMediaTypes: record.learned.strayMediaTypes ?? [], required: judged, exitCode }, undefined, 2)}\n`
        : scorecard(finding, judged),
    )
    return exitCode
  } finally {
    await receiver?.close()
  }
}

interface Waiting {
  readonly options: Options
  readonly edge: CommandEdge
  readonly say: (text: string) => void
}

/** Whoever restarts the agent: this command, or somebody else meanwhile. */
async function goOnAfterRestart(
  job: Omit<ProbeJob, 'entries' | 'restart'>,
  entries: readonly ProbeEntry[],
  ports: ProbePorts,
  { options, edge: { stopping }, say }: Waiting,
) {
  const client = ports.openClient()
  const watch = { url: job.subject.cardUrl, fetch: client.fetch, withinMs: options.wait * 1_000, signal: stopping }
  say(options.restart === undefined ? `  waiting up to ${options.wait} s for the agent to be restarted: restart it now` : `  restarting: ${options.restart}`)
  try {
    const isRestarted = options.restart === undefined ? await awaitRestart(watch) : await restartBy(options.restart, watch)
    return await runProbe({ ...job, entries, restart: () => (isRestarted ? 'known' : 'never') }, ports, stopping)
  } finally {
    await client.close()
  }
}

/** The command's own word counts: it ended well, so the agent was restarted; then it has to answer. */
async function restartBy(command: string, watch: RestartWatch): Promise<boolean> {
  const child = spawn(command, { shell: true, stdio: ['ignore', 'ignore', 'inherit'] })
  const [code] = (await once(child, 'close')) as [number | null]
  return code === 0 && awaitRestart({ ...watch, wasAway: true })
}

function portsOf(options: Options, entries: ProbeEntry[], push: OpenReceiver | undefined): ProbePorts {
  return {
    openClient: () => {
      const { fetch, close } = createOutbound({ allowCidrs: options.allowCidr })
      return { fetch, close }
    },
    append: async (data) => {
      const recorded = { position: entries.length + 1, atMs: Date.now() }
      entries.push({ ...recorded, data })
      return recorded
    },
    witness: async () => undefined,
    nowMs: Date.now,
    after: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
    newId: randomUUID,
    sha256Hex: (text) => createHash('sha256').update(text).digest('hex'),
    ...(push !== undefined && { push }),
  }
}

function httpUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) throw new InvalidArgumentError('It is no http or https URL.')
  return text
}

function seconds(text: string): number {
  if (!/^\d{1,7}$/.test(text)) throw new InvalidArgumentError('It is no whole number of seconds.')
  return Number(text)
}

const listIn = (text: string): readonly string[] => text.split(',').map((part) => part.trim()).filter((part) => part !== '')

function names(text: string, given: readonly string[]): readonly string[] {
  const list = listIn(text)
  const unknown = list.filter((name) => !requirementNames.includes(name))
  if (unknown.length > 0) throw new InvalidArgumentError(`There is no ${unknown.join(', ')}. There are: ${requirementNames.join(', ')}.`)
  return [...given, ...list]
}

function cidrs(text: string, given: readonly string[]): readonly string[] {
  const list = listIn(text)
  const wrong = list.filter((block) => !isCidr(block))
  if (wrong.length > 0) throw new InvalidArgumentError(`${wrong.join(', ')} is no block of addresses like 127.0.0.0/8.`)
  return [...given, ...list]
}

function header(text: string, given: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const [, name = '', value = ''] = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*)$/.exec(text) ?? []
  if (name === '') throw new InvalidArgumentError('It has not the form "name: value".')
  return { ...given, [name.toLowerCase()]: value }
}
