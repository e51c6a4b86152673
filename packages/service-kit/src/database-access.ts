/** What a database says that is not ready for a service, or does not let it in; and what to do then. */
import { messageOf } from './process.ts'

const invalidLogin = /^28/
const noDatabase = '3D000'
const noRights = '42501'

/** The SQLSTATE of what PostgreSQL itself reported. */
const sqlStateOf = (error: unknown): string =>
  error instanceof Error && 'severity' in error && 'code' in error ? String(error.code) : ''

/** True when PostgreSQL keeps us out, whatever was asked: who changed that can change it back. */
export function isAccessRefused(error: unknown): boolean {
  const sqlState = sqlStateOf(error)
  return invalidLogin.test(sqlState) || sqlState === noDatabase || sqlState === noRights
}

export interface DatabaseLogin {
  /** Names the variable of the environment that has the URL. */
  readonly urlVariable: string
  /** What the user of the URL has to be a member of. */
  readonly role: string
}

/** Says why `service` cannot work with the database of `login`, and what to do about it. */
export const notReady = (service: string, login: DatabaseLogin, cause: unknown): Error =>
  new Error(`The database is not ready for the ${service} (${messageOf(cause)}): ${remedyFor(sqlStateOf(cause), login)}.`, { cause })

function remedyFor(sqlState: string, { urlVariable, role }: DatabaseLogin): string {
  if (invalidLogin.test(sqlState)) return `correct the user and the password in ${urlVariable}, or let this user log in`
  if (sqlState === noDatabase) return `create it, or correct its name in ${urlVariable}; then run npm run migrate`
  if (sqlState !== noRights) return 'run npm run migrate'
  return `run npm run migrate with DATABASE_URL and RECONCILER_DATABASE_URL as the services have them, or GRANT ${role} to the user of ${urlVariable}`
}
