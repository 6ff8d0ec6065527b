import { execFileSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { LogStream } from './log-stream.ts'

let folder: string
let reader: number
let writer: number

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'voelgoed-log-'))
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK)
  writer = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK)
})
afterEach(() => {
  closeSync(writer)
  rmSync(folder, { recursive: true })
})

/** Reads what stands in the pipe now. */
function read(): string {
  const room = Buffer.alloc(1024 * 1024)
  try {
    return room.toString('utf8', 0, readSync(reader, room)).replaceAll('\0', '')
  } catch (error) {
    expect(error).toMatchObject({ code: 'EAGAIN' })
    return ''
  }
}

function fill(): void {
  try {
    for (;;) writeSync(writer, Buffer.alloc(4_096))
  } catch (error) {
    expect(error).toMatchObject({ code: 'EAGAIN' })
  }
}

const LINE = `${'é'.repeat(49)}\n`

it('keeps lines while the pipe is full, up to its limit, then says how many were lost', async () => {
  fill()
  const stream = new LogStream(writer, { mostBytes: 10 * Buffer.byteLength(LINE) })
  for (let line = 0; line < 25; line += 1) stream.write(LINE)
  stream.flushSync()
  expect(stream.lost).toBe(15)
  let text = ''
  await expect
    .poll(() => {
      text += read()
      return text.split('\n').length
    })
    .toBe(12)
  expect(text.startsWith(LINE.repeat(10))).toBe(true)
  expect(JSON.parse(text.slice(LINE.length * 10))).toMatchObject({
    lost: 15,
    msg: 'lines of the log were lost',
  })
  closeSync(reader)
})

it('writes what is left before it returns', async () => {
  const stream = new LogStream(writer)
  for (let line = 0; line < 100; line += 1) stream.write(LINE)
  stream.flushSync()
  // The end of the process takes care of what a thread is writing.
  let text = read()
  expect(text.length).toBeGreaterThanOrEqual(LINE.length * 59)
  // And here the test: the thread must not write to a number that belongs to another file by then.
  await expect
    .poll(() => {
      text += read()
      return text.length
    })
    .toBe(LINE.length * 100)
  closeSync(reader)
})

it('a pipe whose reader has gone takes nothing and costs nothing', async () => {
  closeSync(reader)
  const stream = new LogStream(writer)
  for (let line = 0; line < 100; line += 1) stream.write(LINE)
  stream.flushSync()
  await expect.poll(() => stream.lost).toBe(100)
  stream.write(LINE)
  stream.flushSync()
  expect(stream.lost).toBe(101)
})
