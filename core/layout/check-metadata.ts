import { utf8ToBytes } from '@noble/hashes/utils.js'
import type { LayoutFaults } from './faults.ts'
import { LAYOUT_LIMITS } from './model.ts'

/** More than a person nests by hand, and far less than what overflows a stack. */
const MAX_DEPTH = 32

/** An escaped NUL or half of a surrogate pair, after an even number of backslashes: jsonb takes neither. */
const NOT_STORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/

/**
 * A copy of the metadata as it comes back from JSON, so that the layout shares nothing with what was sent.
 */
export function compileMetadata(
  faults: LayoutFaults,
  path: string,
  metadata: Record<string, unknown> | undefined,
): Record<string, unknown> {
  if (metadata === undefined) return {}
  if (depthOf(metadata) > MAX_DEPTH) {
    faults.add(path, 'metadata_too_deep', `Nest the metadata at most ${MAX_DEPTH} levels deep.`)
    return {}
  }
  const text = JSON.stringify(metadata)
  const bytes = utf8ToBytes(text).length
  if (bytes > LAYOUT_LIMITS.metadataBytes) {
    const message = `Shorten the metadata to at most ${LAYOUT_LIMITS.metadataBytes} bytes; it has ${bytes}.`
    faults.add(path, 'metadata_too_large', message)
    return {}
  }
  if (NOT_STORABLE.test(text)) {
    const message = 'Remove NUL characters and halves of surrogate pairs from the metadata.'
    faults.add(path, 'metadata_not_storable', message)
    return {}
  }
  return JSON.parse(text)
}

/** Level by level, not by recursion, and no further than just past the limit. */
function depthOf(root: unknown): number {
  let level = [root]
  let depth = 0
  while (level.length > 0 && depth <= MAX_DEPTH) {
    level = level.flatMap(value => (typeof value === 'object' && value !== null ? Object.values(value) : []))
    depth++
  }
  return depth
}
