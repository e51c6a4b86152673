// A second listener that speaks TLS alone and asks for a login, in each of the three ways we know.
import { join } from 'node:path'
import { run } from './jars.ts'

/** What a client needs to get in. */
export type KafkaGuard = {
  readonly brokers: readonly string[]
  /** PEM of the broker's certificate, which nobody else signed. */
  readonly certificatePath: string
  readonly username: string
  readonly password: string
}

const password = 'guarded-secret'
const username = 'guarded-user'
const scramMechanisms = ['SCRAM-SHA-256', 'SCRAM-SHA-512']

/** Makes the key of a broker on the loopback in `dir`. */
export async function createGuard(dir: string, port: number): Promise<KafkaGuard> {
  const keystore = ['-keystore', keystoreOf(dir), '-storetype', 'PKCS12', '-storepass', password, '-alias', 'broker']
  const certificatePath = join(dir, 'broker.pem')
  await run('keytool', ['-genkeypair', ...keystore, '-keyalg', 'EC', '-validity', '30', '-dname', 'CN=broker', '-ext', 'SAN=ip:127.0.0.1'])
  await run('keytool', ['-exportcert', '-rfc', ...keystore, '-file', certificatePath])
  return { brokers: [`127.0.0.1:${port}`], certificatePath, username, password }
}

/** For `StorageTool format`: users that log in by SCRAM have to be there before the broker is. */
export const formatArguments: readonly string[] = scramMechanisms.flatMap((mechanism) => [
  '--add-scram',
  `${mechanism}=[name=${username},password=${password}]`,
])

export const guardProperties = (dir: string): string => `
ssl.keystore.location=${keystoreOf(dir)}
ssl.keystore.type=PKCS12
ssl.keystore.password=${password}
ssl.key.password=${password}
sasl.enabled.mechanisms=PLAIN,${scramMechanisms.join(',')}
listener.name.sasl_ssl.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_${username}="${password}";
${scramMechanisms.map((mechanism) => `listener.name.sasl_ssl.${mechanism.toLowerCase()}.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;`).join('\n')}
`

const keystoreOf = (dir: string): string => join(dir, 'broker.p12')
