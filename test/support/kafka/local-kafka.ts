// Apache Kafka as one Java process: broker and controller in one, on two ports of the loopback that
// it keeps over restarts.
//
// down:    no process; the data stays. Leaves to running by `start`.
// running: leaves to down by `kill`, which is SIGKILL, as in an outage.
// removed: `remove` ends the process and deletes the data. Final.
//
// Worst case: this process is killed. The shell that became Java left a child behind that waits for
// the end of our pipe and then kills Java: nothing keeps running.
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import type { KafkaBroker } from './broker.ts'
import { createGuard, formatArguments, guardProperties, type KafkaGuard } from './guard.ts'
import { kafkaJars, localKafkaVersion, run } from './jars.ts'

/** After SIGKILL the controller waits until the registration of the broker has expired. */
const startTimeoutMs = 120_000
const clusterId = 'a2aLedgerTestCluster00'

/**
 * A broker that runs and holds nothing. Throws with its own words when it does not start.
 *
 * `isMortal`: it is to be killed, and comes back within seconds; one that only waits for the processor loses
 * its partitions as soon, for a moment. Any other one is given time.
 */
export async function startLocalKafka({ isMortal }: { readonly isMortal: boolean }): Promise<KafkaBroker> {
  const { guard: _, ...broker } = await startLocal({ isGuarded: false, isMortal })
  return broker
}

/** The same, which can be spoken to in the guarded way, too. */
export async function startGuardedKafka(): Promise<KafkaBroker & { readonly guard: KafkaGuard }> {
  const { guard, ...broker } = await startLocal({ isGuarded: true, isMortal: false })
  if (guard === undefined) throw new TypeError('a guarded broker without a guard')
  return { ...broker, guard }
}

async function startLocal({ isGuarded, isMortal }: { readonly isGuarded: boolean; readonly isMortal: boolean }): Promise<KafkaBroker & { readonly guard: KafkaGuard | undefined }> {
  const jars = await kafkaJars()
  const dir = mkdtempSync(join(tmpdir(), 'a2a-ledger-kafka-'))
  mkdirSync(join(dir, 'tmp'))
  const [brokerPort, controllerPort, guardedPort] = [await freePort(), await freePort(), await freePort()]
  const propertiesPath = join(dir, 'server.properties')
  const plain = serverProperties(join(dir, 'log'), { brokerPort, controllerPort, guardedPort: isGuarded ? guardedPort : undefined, isMortal })
  writeFileSync(propertiesPath, isGuarded ? plain + guardProperties(dir) : plain)
  const java = [`-Djava.io.tmpdir=${join(dir, 'tmp')}`, '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-cp', `${jars}/*`]
  let broker: ChildProcess | undefined

  const start = async (): Promise<void> => {
    broker ??= await untilStarted(spawnJava([...java, '-Xms256m', '-Xmx256m', ...logLevels, 'kafka.Kafka', propertiesPath]))
  }
  const kill = async (): Promise<void> => {
    const dying = broker
    broker = undefined
    if (dying === undefined) return
    dying.kill('SIGKILL')
    if (dying.exitCode === null && dying.signalCode === null) {
      await new Promise((resolve) => dying.once('exit', resolve))
    }
    dying.stdin?.destroy()
  }
  const remove = async (): Promise<void> => {
    await kill()
    rmSync(dir, { recursive: true, force: true })
  }
  let guard: KafkaGuard | undefined
  try {
    if (isGuarded) guard = await createGuard(dir, guardedPort)
    const users = isGuarded ? formatArguments : []
    await run('java', [...java, 'kafka.tools.StorageTool', 'format', '-t', clusterId, '-c', propertiesPath, ...users])
    await start()
  } catch (error) {
    await remove()
    throw error
  }
  return { version: localKafkaVersion, brokers: [`127.0.0.1:${brokerPort}`], start, kill, remove, guard }
}

const logLevels = [
  '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
  '-Dorg.slf4j.simpleLogger.log.kafka.server.KafkaRaftServer=info',
]

interface Settings {
  readonly brokerPort: number
  readonly controllerPort: number
  readonly guardedPort: number | undefined
  readonly isMortal: boolean
}

const serverProperties = (logDir: string, settings: Settings): string => `
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${settings.controllerPort}
listeners=${advertisedBy(settings)},CONTROLLER://127.0.0.1:${settings.controllerPort}
advertised.listeners=${advertisedBy(settings)}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,SASL_SSL:SASL_SSL,CONTROLLER:PLAINTEXT
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
log.dirs=${logDir}
auto.create.topics.enable=false
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
share.coordinator.state.topic.num.partitions=1
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
broker.session.timeout.ms=${settings.isMortal ? 3_000 : 30_000}
broker.heartbeat.interval.ms=${settings.isMortal ? 250 : 1_000}
log.cleaner.dedupe.buffer.size=8388608
`

const advertisedBy = ({ brokerPort, guardedPort }: Settings): string =>
  [`PLAINTEXT://127.0.0.1:${brokerPort}`, ...(guardedPort === undefined ? [] : [`SASL_SSL://127.0.0.1:${guardedPort}`])].join(',')

/** The shell becomes Java, so the pid is Java's. */
function spawnJava(args: readonly string[]): ChildProcess {
  const script = 'exec 3<&0; (cat <&3; kill -9 $$) >/dev/null 2>&1 & exec java "$@" 3<&- </dev/null'
  return spawn('sh', ['-c', script, 'java', ...args], { stdio: ['pipe', 'pipe', 'pipe'] })
}

async function untilStarted(child: ChildProcess): Promise<ChildProcess> {
  let output = ''
  await new Promise<void>((resolve, reject) => {
    const fail = (reason: string): void => {
      clearTimeout(impatience)
      child.kill('SIGKILL')
      child.stdin?.destroy()
      reject(new Error(`Kafka ${reason}:\n${output.slice(-4000)}`))
    }
    const impatience = setTimeout(() => fail(`did not start within ${startTimeoutMs} ms`), startTimeoutMs)
    child.once('error', (error) => fail(error.message))
    child.once('exit', (code, signal) => fail(`ended with ${code ?? signal}`))
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output = (output + text).slice(-20_000)
        if (!output.includes('Kafka Server started')) return
        clearTimeout(impatience)
        child.removeAllListeners('exit')
        resolve()
      })
    }
  })
  return child
}
