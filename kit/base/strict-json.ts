import type { RequestFault } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'

const MAX_DEPTH = 64

/**
 * JSON from a stranger. Beyond what JSON.parse refuses: bytes that are not UTF-8, nesting that would overflow
 * a stack later, more values than anything we ask for can have (it is their number that takes time, more than
 * their length), and text that Postgres can't store (NUL, half of a surrogate pair).
 */
export function parseStrictJson(
  bytes: Uint8Array,
  { maxValues }: { maxValues: number },
): Result<unknown, RequestFault[]> {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return fault('The body is not valid UTF-8.')
  }
  const excess = findExcess(bytes, maxValues)
  if (excess === 'depth') return fault(`The body is nested more than ${MAX_DEPTH} levels deep.`)
  if (excess === 'values') {
    return fault(`The body has more than ${maxValues.toLocaleString('en')} values. Send less at a time.`)
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return fault(`The body is not valid JSON: ${(error as Error).message.slice(0, 200)}`)
  }
  // Both can only have come in as an escape; a body without one need not be walked.
  if (!/\\u(0000|[dD][89a-fA-F])/.test(text)) return ok(value)
  const path = pathOfUnstorableText(value)
  return path === null
    ? ok(value)
    : refuse([{ path, message: 'must not contain NUL or half a surrogate pair' }])
}

function fault(message: string): Result<never, RequestFault[]> {
  return refuse([{ path: '', message }])
}

const [QUOTE, COMMA, OPEN_ARRAY, BACKSLASH, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [
  0x22, 0x2c, 0x5b, 0x5c, 0x5d, 0x7b, 0x7d,
]

/** Every value but the first stands behind a comma, or first in an array or object. */
function findExcess(bytes: Uint8Array, maxValues: number): 'depth' | 'values' | null {
  let depth = 0
  let values = 1
  let inString = false
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i]
    if (inString) {
      if (byte === BACKSLASH) i += 1
      else if (byte === QUOTE) inString = false
    } else if (byte === QUOTE) {
      inString = true
    } else if (byte === COMMA) {
      values += 1
    } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      depth += 1
      values += 1
      if (depth > MAX_DEPTH) return 'depth'
      if (values > maxValues) return 'values'
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
      depth -= 1
    }
  }
  return values > maxValues ? 'values' : null
}

function pathOfUnstorableText(value: unknown, path = ''): string | null {
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed() ? path : null
  if (typeof value !== 'object' || value === null) return null
  for (const [key, member] of Object.entries(value)) {
    if (key.includes('\0') || !key.isWellFormed()) return path
    const found = pathOfUnstorableText(member, `${path}/${key}`)
    if (found !== null) return found
  }
  return null
}
