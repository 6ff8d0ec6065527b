import { isUuid } from '@voelgoed/core/ids'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 200

export interface PageRequest {
  readonly after?: string
  readonly limit: number
}

/** Cursors are the id of the last row of the page before. */
export function readPage(
  query: { after?: string; limit?: string },
  isCursor: (text: string) => boolean = isUuid,
): Result<PageRequest, Refusal> {
  const { after } = query
  if (after !== undefined && !isCursor(after)) {
    return refuse({
      kind: 'invalid_request',
      errors: [{ path: '/query/after', message: 'must be the `next` of an earlier page' }],
    })
  }
  return ok({
    ...(after !== undefined && { after }),
    limit: Math.min(Number(query.limit ?? DEFAULT_LIMIT), MAX_LIMIT),
  })
}

/** `rows` were asked for with one more than the page holds: that one says whether there is a next page. */
export function toPage<Row>(
  rows: readonly Row[],
  limit: number,
  cursorOf: (row: Row) => string,
  toAnswer: (row: Row) => unknown,
): { data: unknown[]; next: string | null } {
  const page = rows.slice(0, limit)
  return {
    data: page.map(toAnswer),
    next: rows.length > limit ? cursorOf(page[page.length - 1]!) : null,
  }
}
