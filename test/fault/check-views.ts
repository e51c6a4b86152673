import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const rebuild = join(import.meta.dirname, '..', '..', 'services', 'reconciler', 'src', 'rebuild.ts')

/** Runs `rebuild --check` on the instance's database: its last word, or an error that says what differs. */
export const checkViews = async (instance: { readonly adminUrl: () => Promise<string> }): Promise<string> => {
  const adminUrl = await instance.adminUrl()
  const env = { ...process.env, DATABASE_ADMIN_URL: adminUrl, DATABASE_URL: adminUrl, RECONCILER_DATABASE_URL: adminUrl, GRACE_MS: '1000' }
  const { stdout } = await promisify(execFile)(process.execPath, [rebuild, '--check'], { env })
  return stdout.trim().split('\n').at(-1) ?? ''
}
