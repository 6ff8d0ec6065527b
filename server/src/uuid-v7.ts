import { randomFillSync } from 'node:crypto'

/** Random bytes for 256 ids at a time: asking for each id's own took 2 µs, six times as long as the rest. */
const pool = Buffer.allocUnsafe(16 * 256)
let used = pool.length

/**
 * UUID version 7 (RFC 9562 §5.7): sorts by the time it was made, so that new rows lie together in an index.
 */
export function uuidV7(nowMs: number): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const at = used
  used += 16
  pool.writeUIntBE(nowMs, at, 6)
  pool[at + 6] = (pool[at + 6]! & 0x0f) | 0x70
  pool[at + 8] = (pool[at + 8]! & 0x3f) | 0x80
  const hex = pool.toString('hex', at, at + 16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
