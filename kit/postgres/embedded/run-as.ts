import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { StartupError } from '../../base/startup-error.ts'
import { isSystemError } from './system-error.ts'

export interface RunAs {
  uid: number
  gid: number
  name: string
}

/**
 * Chooses whom Postgres runs as; undefined: as ourselves. Postgres refuses root, so root runs it as
 * `postgres`, else as `nobody`. A cluster that is there already stays with its owner, even if we would choose
 * another user today: a `postgres` user may have been created since, or the server may have started without
 * root before.
 */
export async function chooseUser(
  cluster: string | undefined,
  passwdFile = '/etc/passwd',
): Promise<RunAs | undefined> {
  const ourUid = process.getuid?.()
  if (ourUid === undefined) return undefined // Windows

  const owner = cluster === undefined ? undefined : await stat(cluster)
  if (ourUid !== 0) {
    if (owner === undefined || owner.uid === ourUid) return undefined
    throw new StartupError(
      `The data in ${cluster} belong to the user ${await nameOf(owner.uid)}: start as that user or as root, or set VOELGOED_DATA_DIR to another directory.`,
    )
  }

  if (owner === undefined) {
    const users = await readUsers(passwdFile)
    const user = users.find(({ name }) => name === 'postgres') ?? users.find(({ name }) => name === 'nobody')
    if (user) return user
    throw new StartupError(
      'Postgres refuses to run as root, and there is no user "postgres" or "nobody" to run it as: create one of them, start as another user, or set DATABASE_URL to a Postgres of your own.',
    )
  }
  if (owner.uid !== 0) return { uid: owner.uid, gid: owner.gid, name: await nameOf(owner.uid) }
  throw new StartupError(
    `The data in ${cluster} belong to root, whom Postgres refuses: give them to another user with chown -R postgres or chown -R nobody.`,
  )
}

/**
 * The path by which `user` gets at `dir`,
 * which must be the working directory of the program that is given it.
 *
 * A project under a closed home (/root with mode 0700) keeps its data there, out of reach of the user whom
 * root runs Postgres as: it may own the directory, but can't walk to it. On Linux it need not walk: we enter
 * the directory as root, then change the user, and /proc/self/cwd leads to where a process already is. All of
 * Postgres's processes stay in the data directory for good, so the path stays true for each of them.
 */
export async function pathFor(user: RunAs | undefined, dir: string): Promise<string> {
  if (user === undefined || (await canReach(user, dir))) return dir
  if (process.platform === 'linux') return '/proc/self/cwd'
  throw new StartupError(
    `The user ${user.name}, as whom root must run Postgres, can't get at ${dir}: set VOELGOED_DATA_DIR to a directory outside of a closed home.`,
  )
}

/** By the modes alone. Where an access list says more, /proc/self/cwd is used without need. */
export async function canReach(user: RunAs, dir: string): Promise<boolean> {
  for (let step = path.resolve(dir); ; step = path.dirname(step)) {
    const { mode, uid, gid } = await stat(step)
    const mayEnter = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001
    if ((mode & mayEnter) === 0) return false
    if (step === path.dirname(step)) return true
  }
}

async function nameOf(uid: number): Promise<string> {
  return (await readUsers('/etc/passwd')).find(user => user.uid === uid)?.name ?? `with the uid ${uid}`
}

/** Node has no getpwnam. A user whom only a directory service knows is not found here. */
async function readUsers(passwdFile: string): Promise<RunAs[]> {
  const lines = await readFile(passwdFile, 'utf8').catch(error => {
    if (isSystemError(error, 'ENOENT')) return ''
    throw error
  })
  return lines.split('\n').flatMap(line => {
    const [name, , uid, gid] = line.split(':')
    // Where uids are read as signed (macOS: 'nobody' is -2), the system wants them unsigned.
    return name && uid && gid ? [{ name, uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 }] : []
  })
}
