import { readFile } from 'node:fs/promises'
import { StartupError } from '../../startup-error.ts'
import { type BinaryPackage, findPackage, prepareBinaries } from './binaries.ts'
import { defaultCopyPlaces } from './copy-binaries.ts'
import { openDataDirectory, refusalOf } from './data-directory.ts'
import { DATABASE, ensureDatabase, SUPERUSER } from './ensure-database.ts'
import { initialiseCluster } from './initialise-cluster.ts'
import { chooseUser } from './run-as.ts'
import { startPostmaster } from './start-postmaster.ts'
import { isSystemError } from './system-error.ts'

export interface EmbeddedPostgres {
  readonly url: string
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
      url: `postgres://${SUPERUSER}:${password}@127.0.0.1:${postmaster.port}/${DATABASE}`,
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
