import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { StartupError } from '../../base/startup-error.ts'
import type { RequestLogin } from '../request-login.ts'
import { findPackage, prepareBinaries } from './binaries.ts'
import type { BinaryPackage } from './binary-package.ts'
import { defaultCopyPlaces } from './copy-binaries.ts'
import { openDataDirectory, refusalOf } from './data-directory.ts'
import { DATABASE, ensureDatabase, SUPERUSER } from './ensure-database.ts'
import { findPostmaster, hasLivingOwner } from './find-postmaster.ts'
import { initialiseCluster } from './initialise-cluster.ts'
import { readPostmasterPid } from './postmaster-pid.ts'
import { chooseUser } from './run-as.ts'
import { startPostmaster } from './start-postmaster.ts'
import { isSystemError } from './system-error.ts'

export interface EmbeddedPostgres {
  /** As the superuser, who owns the database. */
  readonly url: string
  /** For the connections of requests. Its password is made at each start and kept in memory only. */
  readonly requestLogin: RequestLogin
  readonly pid: number
  /** Fast shutdown, with a bound on how long it may take. Idempotent. */
  stop(): Promise<void>
}

export interface EmbeddedOptions {
  dataDir: string
  /** Postgres settings, in place of those in default-settings.ts or in addition to them. */
  settings?: Record<string, string>
  /** Called once, with one line, when Postgres ends without stop(). It is not started again. */
  onUnexpectedExit?: (description: string) => void
}

/**
 * Starts a real Postgres on the data directory, which is filled at the first start; see data-directory.ts for
 * what lies in it. What an operator can mend is thrown as a StartupError of one line.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const source = await findPackage({ platform: process.platform, arch: process.arch })
  return startFromPackage(options, source)
}

export async function startFromPackage(
  options: EmbeddedOptions,
  source: BinaryPackage,
  copyPlaces?: string[],
): Promise<EmbeddedPostgres> {
  const dir = await openDataDirectory(options.dataDir, source.major)
  try {
    const user = await chooseUser(dir.hasCluster ? dir.cluster : undefined)
    const binaries = await prepareBinaries(source, user, copyPlaces ?? defaultCopyPlaces(dir.path))
    if (!dir.hasCluster) await initialiseCluster(dir, binaries, user)
    const password = await readPassword(dir.passwordFile)
    const postmaster = await startPostmaster({ dir, binaries, user, settings: options.settings ?? {} })

    try {
      await ensureDatabase({ port: postmaster.port, password, passwordFile: dir.passwordFile })
    } catch (error) {
      await postmaster.stop()
      throw error
    }

    let isStopping = false
    postmaster.ended.then(reason => {
      if (isStopping) return
      const description = `The embedded Postgres (process ${postmaster.pid}) ended: ${reason} (its log is ${dir.logFile})`
      options.onUnexpectedExit?.(description)
    })
    return {
      url: urlFor(password, postmaster.port),
      requestLogin: { user: 'voelgoed_node', password: randomBytes(24).toString('base64url') },
      pid: postmaster.pid,
      stop: () => {
        isStopping = true
        return postmaster.stop()
      },
    }
  } catch (error) {
    throw refusalOf(error, dir.path)
  }
}

/**
 * The address of the Postgres that a server has running on this data directory, for its owner; `null`:
 * there is none.
 */
export async function runningEmbeddedUrl(dataDir: string): Promise<string | null> {
  const source = await findPackage({ platform: process.platform, arch: process.arch })
  const dir = await openDataDirectory(dataDir, source.major)
  if (!dir.hasCluster)
    throw new StartupError(`There is no database in ${dir.path} yet: start the server once.`)
  const file = await readPostmasterPid(dir.cluster)
  if (file?.pid === undefined || !file.isReady) return null
  const found = await findPostmaster(file.pid, dir.cluster)
  if (!found || !hasLivingOwner(found)) return null
  return urlFor(await readPassword(dir.passwordFile), file.port)
}

function urlFor(password: string, port: number): string {
  return `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/${DATABASE}`
}

async function readPassword(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    if (!isSystemError(error, 'ENOENT')) throw error
    throw new StartupError(
      `The file with the password of the database, ${file}, is missing: put it back, or set VOELGOED_DATA_DIR to a new directory.`,
    )
  }
}
