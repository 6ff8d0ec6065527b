import { constants, fstatSync, openSync, write, writeSync } from 'node:fs'

/** Lines leave together, a tenth of a second late at most. */
const GATHER_BYTES = 2_048
const GATHER_MS = 100
/**
 * Several workers write to one pipe, which takes up to 4,096 bytes as a whole. More than that could be mixed
 * with the lines of another worker.
 */
const WHOLE_WRITE_BYTES = 4_096
/** When no process reads the lines, or the disk is full, the lines beyond this are dropped. */
const MOST_BYTES = 16 * 1024 * 1024
const BUSY_MS = 100
const FAILED_MS = 1_000
/** For what is left when the process ends, or must be written before it goes on. */
const LAST_WRITE_MS = 500
const LAST_WRITE_PAUSE_MS = 10

interface Chunk {
  text: string
  bytes: number
  lines: number
}

/**
 * Writes the lines of the log. No fault of the place they go to ends the server or keeps it waiting: a pipe
 * that no process reads, one that was closed, a full disk. What can't be written is kept up to a limit, then
 * lost and counted.
 */
export class LogStream {
  readonly #fd: number
  readonly #mostBytes: number
  readonly #waiting: Chunk[] = []
  #bytes = 0
  #lost = 0
  #lostBeforeLastTold = 0
  /** These lines are being written; the rest of them when a part was taken. */
  #writing: { rest: Buffer; readonly lines: number } | null = null
  /** A thread is at it; else it is tried again later. */
  #isUnderWay = false
  #timer: NodeJS.Timeout | null = null
  /** No process will ever read from this pipe again. */
  #isClosed = false

  constructor(fd: number, { mostBytes = MOST_BYTES } = {}) {
    this.#fd = fd
    this.#mostBytes = mostBytes
  }

  /** Lines that could not be written. */
  get lost(): number {
    return this.#lost
  }

  write(line: string): void {
    const bytes = Buffer.byteLength(line)
    if (this.#isClosed || this.#bytes + bytes > this.#mostBytes) {
      this.#lost += 1
      return
    }
    this.#bytes += bytes
    const last = this.#waiting.at(-1)
    if (last && last.bytes + bytes <= WHOLE_WRITE_BYTES) {
      last.text += line
      last.bytes += bytes
      last.lines += 1
    } else this.#waiting.push({ text: line, bytes, lines: 1 })
    if (this.#writing) return
    if (this.#bytes >= GATHER_BYTES) this.#writeIn(0)
    else this.#writeIn(GATHER_MS)
  }

  /** Writes what is left before it returns, as far as that is possible within half a second. */
  flushSync(): void {
    const until = performance.now() + LAST_WRITE_MS
    // A text that a thread is writing leaves by itself, also when the process ends.
    if (this.#writing && !this.#isUnderWay) {
      if (!this.#writeNow(this.#writing.rest, until)) return
      this.#writing = null
    }
    while (this.#waiting.length > 0) {
      if (!this.#writeNow(Buffer.from(this.#waiting[0]!.text), until)) return
      this.#waiting.shift()
    }
  }

  #writeNow(bytes: Buffer, until: number): boolean {
    for (let done = 0; done < bytes.length; ) {
      try {
        done += writeSync(this.#fd, bytes, done)
      } catch (error) {
        if (!isBusy(error) || performance.now() >= until) return false
        Atomics.wait(PAUSE, 0, 0, LAST_WRITE_PAUSE_MS)
      }
    }
    this.#bytes -= bytes.length
    return true
  }

  #writeIn(ms: number): void {
    if (ms > 0) {
      this.#timer ??= setTimeout(() => this.#writeIn(0), ms).unref()
      return
    }
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    if (!this.#writing) {
      const next = this.#waiting.shift()
      if (!next) return
      this.#writing = { rest: Buffer.from(next.text), lines: next.lines }
    }
    const { rest } = this.#writing
    this.#isUnderWay = true
    write(this.#fd, rest, (error, written) => this.#wrote(error, written))
  }

  #wrote(error: NodeJS.ErrnoException | null, written: number): void {
    const writing = this.#writing!
    this.#isUnderWay = false
    if (error?.code === 'EPIPE') {
      this.#close()
      return
    }
    if (error) {
      // Later, because a disk may get room again; and not at full speed.
      this.#timer = setTimeout(() => this.#writeIn(0), isBusy(error) ? BUSY_MS : FAILED_MS).unref()
      return
    }
    this.#bytes -= written
    writing.rest = writing.rest.subarray(written)
    if (writing.rest.length === 0) {
      this.#writing = null
      this.#tellOfLost()
    }
    if (this.#writing || this.#bytes >= GATHER_BYTES) this.#writeIn(0)
    else if (this.#bytes > 0) this.#writeIn(GATHER_MS)
  }

  /** A line that says how many are missing, as soon as lines can be written again. */
  #tellOfLost(): void {
    const lost = this.#lost - this.#lostBeforeLastTold
    if (lost === 0 || this.#bytes > this.#mostBytes / 2) return
    this.#lostBeforeLastTold = this.#lost
    const line = { level: 40, time: Date.now(), pid: process.pid, lost, msg: 'lines of the log were lost' }
    this.write(`${JSON.stringify(line)}\n`)
  }

  #close(): void {
    this.#isClosed = true
    const { lines = 0 } = this.#writing ?? {}
    this.#lost += this.#waiting.reduce((sum, chunk) => sum + chunk.lines, lines)
    this.#waiting.length = 0
    this.#writing = null
    this.#bytes = 0
    if (this.#timer) clearTimeout(this.#timer)
  }
}

const PAUSE = new Int32Array(new SharedArrayBuffer(4))

function isBusy(error: unknown): boolean {
  const { code } = error as { code?: string }
  return code === 'EAGAIN' || code === 'EBUSY' || code === 'EINTR'
}

/**
 * Standard error. A pipe is opened once more for this process alone, so that a full one says EAGAIN: a write
 * that waits for a reader would keep a thread busy, and the process from ending. To set O_NONBLOCK on the
 * pipe that we were given would set it for all who share it.
 */
export function openStandardError(): number {
  if (!fstatSync(2).isFIFO()) return 2
  try {
    return openSync('/proc/self/fd/2', constants.O_WRONLY | constants.O_NONBLOCK)
  } catch {
    // No Linux, a pipe of another user, or no reader any more.
    return 2
  }
}
