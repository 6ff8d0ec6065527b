import { readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { isAlive } from './is-alive.ts'

const OLD_MS = 3_600_000

/**
 * Removes work folders, named `<prefix><pid>-…`, of processes that were killed before they could. Another
 * process may have the pid by now, so age counts too.
 */
export async function removeLeftovers(dir: string, prefix: string): Promise<void> {
  for (const name of await readdir(dir)) {
    if (!name.startsWith(prefix)) continue
    const leftover = path.join(dir, name)
    const pid = Number.parseInt(name.slice(prefix.length), 10)
    const age = Date.now() - (await stat(leftover).then(found => found.mtimeMs, Date.now))
    if (isAlive(pid) && age < OLD_MS) continue
    // An initdb that outlived its parent may still be writing there: then the next start removes it.
    await rm(leftover, { recursive: true, force: true }).catch(() => {})
  }
}
