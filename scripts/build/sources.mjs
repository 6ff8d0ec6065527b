import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Programs of the lab have this file in them: they lie as deep in dist/ as this file in scripts/. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/**
 * One hash over all that something is built from. By content: a fresh checkout has new times and builds the
 * same. Null where the sources are not there: what was built is used as it is.
 *
 * @param {readonly string[]} sources files and folders of the repository
 * @param {RegExp} notSources names of files and folders that are left out
 */
export function hashSources(sources, notSources) {
  if (!sources.every(source => existsSync(join(ROOT, source)))) return null
  const hash = createHash('sha256')
  const add = path => {
    const full = join(ROOT, path)
    if (statSync(full).isDirectory()) {
      for (const name of readdirSync(full).sort()) if (!notSources.test(name)) add(`${path}/${name}`)
    } else {
      hash.update(`${path}\0`).update(readFileSync(full)).update('\0')
    }
  }
  for (const source of sources) add(source)
  return hash.digest('hex')
}
