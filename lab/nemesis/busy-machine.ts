import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** The lab, or the disk, was busy with something else meanwhile. */
export type Notice = (period: { readonly from: number; readonly to: number }) => void

const BEAT_MS = 50
const LATE_MS = 200
const WRITE_EVERY_MS = 250

/**
 * Notices when the machine has more to do than it can: a beat of the lab is late, or a disk keeps a few bytes
 * waiting. The second is what a commit of Postgres waits for, while it holds the lock of its event; questions
 * that write nothing do not show it. Returns how it ends.
 */
export function noticeBusyMachine(notice: Notice): () => Promise<void> {
  const stopBeat = noticeLateBeats(notice)
  const isOver = { value: false }
  const writing = noticeSlowDisk(notice, isOver)
  return async () => {
    stopBeat()
    isOver.value = true
    await writing
  }
}

function noticeLateBeats(notice: Notice): () => void {
  let last = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    if (now - last > BEAT_MS + LATE_MS) notice({ from: last, to: now })
    last = now
  }, BEAT_MS)
  return () => clearInterval(timer)
}

/** In the folder of temporary files, where the lab's Postgres and Redis have theirs. */
async function noticeSlowDisk(notice: Notice, isOver: { readonly value: boolean }): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'voelgoed-disk-'))
  try {
    const file = await open(join(folder, 'beat'), 'w')
    try {
      while (!isOver.value) {
        await noticeSlow(async () => {
          await file.write(Buffer.alloc(4096), 0, 4096, 0)
          await file.sync()
        }, notice)
        await delay(WRITE_EVERY_MS)
      }
    } finally {
      await file.close()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

export async function noticeSlow(
  write: () => Promise<void>,
  notice: Notice,
  now: () => number = () => performance.now(),
): Promise<void> {
  const from = now()
  await write()
  const to = now()
  if (to - from > LATE_MS) notice({ from, to })
}
