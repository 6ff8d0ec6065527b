import { mkdir, readdir, readFile, realpath } from 'node:fs/promises'
import path from 'node:path'
import { StartupError } from '../../base/startup-error.ts'
import { isSystemError, reasonOf } from './system-error.ts'

/**
 * The parts of a data directory:
 *
 *     <dataDir>/
 *       postgres/            moved here as a whole when initdb is done: there is all of it or nothing
 *         cluster/           Postgres's own data directory; belongs to the user that Postgres runs as, 0700
 *         password           of the superuser, 0600
 *       postgres.log         and postgres.log.1, the one before
 *       initdb-<pid>-…/      an unfinished `postgres/`
 *       voelgoed-postgres-…/ a copy of the programs, where one is needed
 *
 * The cluster is not the directory itself, so that this may be a mount point, or lie in a folder where we
 * can't write, and so that root can keep it while another user has the cluster.
 */
export interface DataDirectory {
  path: string
  home: string
  cluster: string
  passwordFile: string
  logFile: string
  /** False: there is no cluster yet. */
  hasCluster: boolean
}

/** Creates it where it is missing; refuses what is not ours without touching it. */
export async function openDataDirectory(given: string, major: string): Promise<DataDirectory> {
  const wanted = path.resolve(given)
  try {
    await mkdir(wanted, { recursive: true })
    const dir = await realpath(wanted)
    const home = path.join(dir, 'postgres')
    const cluster = path.join(home, 'cluster')

    // The operator's own Postgres directory: ours has the cluster two levels down.
    const foreignMajor = await readMajor(dir)
    if (foreignMajor !== undefined) throw refuseForeignCluster(dir, foreignMajor, major)

    const homeNames = await namesIn(home)
    const hasCluster = homeNames.length > 0
    if (hasCluster) {
      const clusterMajor = await readMajor(cluster)
      if (clusterMajor === undefined) throw refuseStrangeFiles(home, homeNames)
      if (clusterMajor !== major) throw refuseMajor(cluster, clusterMajor, major)
    } else {
      const strange = (await namesIn(dir)).filter(name => !isOurs(name) && !isHarmless(name))
      if (strange.length > 0) throw refuseStrangeFiles(dir, strange)
    }
    return {
      path: dir,
      home,
      cluster,
      passwordFile: path.join(home, 'password'),
      logFile: path.join(dir, 'postgres.log'),
      hasCluster,
    }
  } catch (error) {
    throw refusalOf(error, wanted)
  }
}

/** Turns a failed system call on the data directory into a line for the operator; leaves the rest. */
export function refusalOf(error: unknown, dataDir: string): unknown {
  if (!isSystemError(error)) return error
  const where = error.path === undefined || error.path === dataDir ? '' : ` at ${error.path}`
  const remedy = ['ENOSPC', 'EDQUOT'].includes(error.code!)
    ? 'free some space'
    : 'start as a user who may write there'
  return new StartupError(
    `Can't use the data directory ${dataDir} (${reasonOf(error)}${where}): ${remedy}, or set VOELGOED_DATA_DIR to another directory.`,
  )
}

function isOurs(name: string): boolean {
  return /^(postgres|postgres\.log(\.1)?|initdb-.*|voelgoed-postgres-.*)$/.test(name)
}

/**
 * True for what an empty directory has when it is a mount point, was looked at on a Mac, or is kept by git.
 */
function isHarmless(name: string): boolean {
  return ['lost+found', '.DS_Store', '.gitkeep', '.gitignore'].includes(name)
}

function refuseForeignCluster(dir: string, found: string, major: string): StartupError {
  if (found !== major) return refuseMajor(dir, found, major)
  return new StartupError(
    `${dir} is the data directory of another Postgres ${found}: set VOELGOED_DATA_DIR to another directory, or start that Postgres and set DATABASE_URL.`,
  )
}

function refuseMajor(dir: string, found: string, major: string): StartupError {
  return new StartupError(
    `The data in ${dir} were made by Postgres ${found}, and the embedded one is Postgres ${major}: dump them with ${found} and restore them into a new directory, or set VOELGOED_DATA_DIR to another directory.`,
  )
}

function refuseStrangeFiles(dir: string, names: string[]): StartupError {
  const some = names.slice(0, 3).join(', ') + (names.length > 3 ? ', …' : '')
  return new StartupError(
    `${dir} is not empty and holds no database of ours (it has ${some}): set VOELGOED_DATA_DIR to an empty or new directory.`,
  )
}

async function readMajor(cluster: string): Promise<string | undefined> {
  try {
    return (await readFile(path.join(cluster, 'PG_VERSION'), 'utf8')).trim()
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw error
  }
}

async function namesIn(dir: string): Promise<string[]> {
  try {
    return await readdir(dir)
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return []
    throw error
  }
}
