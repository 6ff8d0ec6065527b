import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm, statfs, writeFile } from 'node:fs/promises'
import { freemem } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const MEMORY = '/dev/shm'
/** A run of all tests has 220 MB there at most. */
const ROOM_BYTES = 2 * 1024 ** 3

/**
 * Tests write into memory where there is room for it: on a disk that is shared with other machines a write
 * may wait for seconds, and with it Postgres, Redis and the browser, until tests give up. Where `TMPDIR` is
 * set, it stays.
 */
export default async function useMemory(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.TMPDIR || !(await hasRoom())) return
  const folder = await mkdtemp(join(MEMORY, 'voelgoed-'))
  const isUsable = await canStartFrom(folder).catch(() => false)
  if (isUsable) process.env.TMPDIR = folder
  return () => rm(folder, { recursive: true, force: true })
}

async function hasRoom(): Promise<boolean> {
  const shared = await statfs(MEMORY).catch(() => null)
  return shared !== null && Math.min(shared.bavail * shared.bsize, freemem()) >= ROOM_BYTES
}

/** Tests start programs from there, also as other users. Containers often forbid it. */
async function canStartFrom(folder: string): Promise<boolean> {
  await chmod(folder, 0o1777)
  const program = join(folder, 'program')
  await writeFile(program, '#!/bin/sh\n', { mode: 0o755 })
  await promisify(execFile)(program)
  return true
}
