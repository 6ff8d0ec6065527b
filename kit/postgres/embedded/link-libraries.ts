import { readFile, rename, rm, stat, symlink } from 'node:fs/promises'
import path from 'node:path'
import { isSystemError } from './system-error.ts'

interface Link {
  /** Both relative to the package's folder. `source` is the file, `target` is the link to make. */
  source: string
  target: string
}

/**
 * npm packages can't hold symlinks, so the package brings a list and makes them in an install script, which
 * newer npm versions skip. False: the folder can't be written.
 *
 * Any number of processes may do this at once: a link that is there already is what we wanted.
 */
export async function linkLibraries(packageDir: string): Promise<boolean> {
  try {
    for (const { source, target } of await readLinks(packageDir)) {
      const link = path.join(packageDir, target)
      if (await leadsSomewhere(link)) continue
      // Made under another name and moved into place, so that a broken link is replaced at once too.
      const made = `${link}.${process.pid}-${Math.random().toString(36).slice(2)}`
      await symlink(path.relative(path.dirname(target), source), made)
      await rename(made, link).catch(async error => {
        await rm(made, { force: true })
        throw error
      })
    }
    return true
  } catch (error) {
    if (isSystemError(error, 'EROFS', 'EACCES', 'EPERM')) return false
    throw error
  }
}

async function readLinks(packageDir: string): Promise<Link[]> {
  try {
    return JSON.parse(await readFile(path.join(packageDir, 'native', 'pg-symlinks.json'), 'utf8'))
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return [] // Windows has none
    throw error
  }
}

async function leadsSomewhere(link: string): Promise<boolean> {
  return stat(link).then(
    () => true,
    () => false,
  )
}
