import { constants } from 'node:fs'
import { chmod, copyFile, lstat, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { StartupError } from '../../base/startup-error.ts'
import type { BinaryPackage } from './binary-package.ts'
import { linkLibraries } from './link-libraries.ts'
import { removeLeftovers } from './remove-leftovers.ts'
import { isSystemError } from './system-error.ts'

/**
 * Beside the data first, since that is ours alone and no cleaner empties it; it won't do when the data lie
 * under a closed home too. /var/tmp before the temporary directory,
 * since it survives a restart of the machine.
 */
export function defaultCopyPlaces(dataDir: string): string[] {
  return [dataDir, '/var/tmp', os.tmpdir()]
}

/**
 * A copy of the package in `place`, made once for each version and user and used from then on; undefined when
 * the place is not fit for one. Any number of processes may do this at once: each makes its own and moves it
 * into place.
 *
 * These programs will run on the operator's data, so a stranger must not be able to put theirs here: the
 * folder must belong to us, and no other user may write to it or take it away.
 */
export async function copyBinaries(source: BinaryPackage, place: string): Promise<string | undefined> {
  const uid = process.getuid?.() ?? 0
  const target = path.join(
    place,
    `voelgoed-postgres-${source.version}-${process.platform}-${process.arch}-${uid}`,
  )
  try {
    if (!(await isSafePlace(place, uid))) return undefined
    const wanted = await listFiles(path.join(source.dir, 'native'))
    if (await isCompleteCopy(target, wanted, uid)) return target

    await removeLeftovers(place, `${path.basename(target)}.new-`)
    const made = await mkdtemp(`${target}.new-${process.pid}-`)
    try {
      await copyPackage(source.dir, made, [...wanted.keys()])
      await moveIntoPlace(made, target, () => isCompleteCopy(target, wanted, uid))
    } finally {
      await rm(made, { recursive: true, force: true })
    }
    return (await isCompleteCopy(target, wanted, uid)) ? target : undefined
  } catch (error) {
    if (isSystemError(error)) return undefined // full, read-only, not there: the next place may do
    throw error
  }
}

/** Where others can write, only the sticky bit keeps them from moving our folder away and theirs in. */
async function isSafePlace(place: string, uid: number): Promise<boolean> {
  if (process.platform === 'win32') return true
  const { mode, uid: owner } = await stat(place)
  const isClosed = (mode & 0o022) === 0
  const isSticky = (mode & 0o1000) !== 0
  return (owner === uid || owner === 0) && (isClosed || isSticky)
}

/** Cleaners of temporary folders take single files away, hence the look at each. 1,000 files take 60 ms. */
async function isCompleteCopy(target: string, wanted: Map<string, number>, uid: number): Promise<boolean> {
  const found = await lstat(target).catch(() => undefined)
  if (found === undefined) return false
  if (
    process.platform !== 'win32' &&
    (!found.isDirectory() || found.uid !== uid || (found.mode & 0o022) !== 0)
  ) {
    throw new StartupError(`${target} should be our copy of Postgres and belongs to another user: remove it.`)
  }
  const present = await listFiles(path.join(target, 'native')).catch(() => new Map<string, number>())
  for (const [file, size] of wanted) if (present.get(file) !== size) return false
  return true
}

async function copyPackage(packageDir: string, made: string, files: string[]): Promise<void> {
  const folders = foldersOf(files)
  for (const folder of folders) await mkdir(path.join(made, 'native', folder), { recursive: true })
  const copy = async (file: string) => {
    const to = path.join(made, 'native', file)
    await copyFile(path.join(packageDir, 'native', file), to, constants.COPYFILE_FICLONE)
    // The package may have been installed for one user only. The sticky bit makes systemd's cleaner of
    // temporary folders leave a file alone; it means nothing else on a file.
    await chmod(to, file.startsWith(`bin${path.sep}`) ? 0o1755 : 0o1644)
  }
  await Promise.all(files.map(copy))
  await linkLibraries(made)
  // Whatever our umask is, the other user must be able to enter.
  for (const folder of folders) await chmod(path.join(made, 'native', folder), 0o755)
  await chmod(made, 0o755)
}

/** All folders on the way to the files, `.` among them. */
function foldersOf(files: string[]): Set<string> {
  const folders = new Set(['.'])
  for (const file of files) {
    for (let dir = path.dirname(file); !folders.has(dir); dir = path.dirname(dir)) folders.add(dir)
  }
  return folders
}

/** Another process may have moved its own there meanwhile: then that one will do, and ours is thrown away. */
async function moveIntoPlace(
  made: string,
  target: string,
  isComplete: () => Promise<boolean>,
): Promise<void> {
  const aside = `${made}-old`
  for (let attempt = 0; attempt < 5; attempt++) {
    try {
      return await rename(made, target)
    } catch (error) {
      if (!isSystemError(error, 'ENOTEMPTY', 'EEXIST', 'EPERM')) throw error
    }
    if (await isComplete()) return
    // An incomplete one is in the way. Who runs it keeps the files that it has open.
    await rename(target, aside).catch(() => {})
    await rm(aside, { recursive: true, force: true })
  }
}

/** Path → size of the plain files below `dir`. */
async function listFiles(dir: string): Promise<Map<string, number>> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  const files = entries.filter(entry => entry.isFile()).map(entry => path.join(entry.parentPath, entry.name))
  const sized = files.map(async file => [path.relative(dir, file), (await lstat(file)).size] as const)
  return new Map(await Promise.all(sized))
}
