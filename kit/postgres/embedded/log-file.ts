import { type FileHandle, open, rename, stat } from 'node:fs/promises'

const BIG_BYTES = 8 * 1024 * 1024
const TAIL_BYTES = 64 * 1024

/** Opens the log to append to. One that has grown big becomes `….1`, in place of the one before. */
export async function openLog(file: string): Promise<{ handle: FileHandle; startsAt: number }> {
  const size = await stat(file).then(
    found => found.size,
    () => 0,
  )
  if (size > BIG_BYTES) await rename(file, `${file}.1`)
  const handle = await open(file, 'a', 0o600)
  return { handle, startsAt: (await handle.stat()).size }
}

/** Reads what was written from `startsAt` on, or the end of it. */
export async function readLog(file: string, startsAt: number): Promise<string> {
  const handle = await open(file, 'r')
  try {
    const { size } = await handle.stat()
    const from = Math.max(startsAt, size - TAIL_BYTES)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.max(0, size - from)), {
      position: from,
    })
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await handle.close()
  }
}

/**
 * The line that says why Postgres gave up: the last FATAL or PANIC, and when it did not get as far as that
 * (the loader missed a library), the last line of all.
 */
export function lastComplaint(log: string): string | undefined {
  const lines = log.split('\n').filter(line => line.trim() !== '')
  const fatal = lines.findLast(line => /\b(FATAL|PANIC): /.test(line) && !line.includes('is starting up'))
  if (fatal) return fatal.slice(fatal.search(/\b(FATAL|PANIC): /)).replace(/\s+/g, ' ')
  return lines.findLast(line => !/\b(LOG|HINT|DETAIL|CONTEXT|STATEMENT): /.test(line))?.trim()
}
