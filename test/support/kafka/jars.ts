import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { workspaceRoot } from '@a2a-ledger/infra/node24'

const pomPath = join(import.meta.dirname, 'pom.xml')

/** The release that `pom.xml` names. */
export const localKafkaVersion = /<artifactId>kafka_2\.13<\/artifactId>\s*<version>([^<]+)</.exec(readFileSync(pomPath, 'utf8'))?.[1] ?? 'unknown'

/**
 * The folder with the jars that `pom.xml` names, downloaded by Maven the first time.
 *
 * Runs that start at once each download for themselves; the first one to be done is kept.
 */
export async function kafkaJars(): Promise<string> {
  const digest = createHash('sha256').update(readFileSync(pomPath)).digest('hex').slice(0, 12)
  const cache = join(workspaceRoot, '.data', 'kafka-jars')
  const folder = join(cache, digest)
  if (existsSync(folder)) return folder
  mkdirSync(cache, { recursive: true })
  const unfinished = mkdtempSync(join(cache, 'download-'))
  try {
    await run('mvn', [
      '--quiet',
      '--batch-mode',
      `--file=${pomPath}`,
      'dependency:copy-dependencies',
      '-DincludeScope=runtime',
      `-DoutputDirectory=${unfinished}`,
    ])
    if (!readdirSync(unfinished).some((name) => name.startsWith('kafka_'))) throw new Error('Maven brought no Kafka.')
    renameSync(unfinished, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
  return folder
}

/** Throws with the output of the command when it fails. */
export async function run(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed with ${code}:\n${output.slice(-4000)}`)
  return output
}
