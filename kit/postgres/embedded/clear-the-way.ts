import { rm } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { StartupError } from '../../base/startup-error.ts'
import type { DataDirectory } from './data-directory.ts'
import { findPostmaster, hasLivingOwner } from './find-postmaster.ts'
import { isAlive } from './is-alive.ts'
import { type PostmasterPid, postmasterPidFile, readPostmasterPid } from './postmaster-pid.ts'
import { stopPostmaster } from './stop-postmaster.ts'

/**
 * Makes sure that no postmaster runs on the cluster. One that a living process of ours has is left alone, and
 * we refuse; one whose owner was killed is stopped; a `postmaster.pid` that names another process is removed.
 *
 * Two processes may come here at once, and need no lock: Postgres itself lets only one postmaster onto a
 * cluster, and the other process then finds that one with a living owner.
 */
export async function clearTheWay(dir: DataDirectory): Promise<void> {
  const found = await readWholePidFile(dir.cluster)
  if (found === undefined) return
  const { pid } = found
  const running = pid === undefined ? undefined : await findPostmaster(pid, dir.cluster)

  if (pid === undefined || running === undefined) {
    // Postgres removes the file of a dead process itself, and safely. When another process has the pid by
    // now, or the file is empty, it can't tell and would refuse to start.
    const isMisleading = pid === undefined || isAlive(pid)
    const isUnchanged = (await readPostmasterPid(dir.cluster))?.text === found.text
    if (isMisleading && isUnchanged) await rm(postmasterPidFile(dir.cluster), { force: true })
    return
  }
  if (running.ownerPid === undefined) {
    throw new StartupError(
      `A Postgres that we did not start, process ${pid}, is using ${dir.cluster}: stop it, or set VOELGOED_DATA_DIR to another directory.`,
    )
  }
  if (hasLivingOwner(running)) {
    throw new StartupError(
      `The data directory ${dir.path} is in use by process ${running.ownerPid}: stop that first, or set VOELGOED_DATA_DIR to another directory.`,
    )
  }
  const hasStopped = await stopPostmaster({
    signal: signal => process.kill(pid, signal),
    endsWithin: async ms => {
      const deadline = Date.now() + ms
      while (await findPostmaster(pid, dir.cluster)) {
        if (Date.now() > deadline) return false
        await delay(10)
      }
      return true
    },
  })
  if (!hasStopped) {
    throw new StartupError(
      `A Postgres left behind by an earlier run, process ${pid}, is using ${dir.path} and does not stop: end it with kill -9 ${pid}.`,
    )
  }
}

/** Postgres fills it right after creating it. One that stays empty was left so by a crash of the machine. */
async function readWholePidFile(cluster: string): Promise<PostmasterPid | undefined> {
  const deadline = Date.now() + 1_000
  for (;;) {
    const found = await readPostmasterPid(cluster)
    if (found === undefined || found.pid !== undefined || Date.now() > deadline) return found
    await delay(10)
  }
}
