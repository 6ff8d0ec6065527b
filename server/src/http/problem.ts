import { problemKinds } from '@voelgoed/core/contract/problems'
import type { Refusal } from '@voelgoed/core/refusal'

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8'

/** A refusal as application/problem+json: the same members for every kind, then what that kind adds. */
export function toProblem(
  refusal: Refusal,
  requestId: string,
): { status: number; body: object; headers: Record<string, string> | null } {
  const { kind, ...extra } = refusal
  const { status, title, detail, retryable } = problemKinds[kind]
  const {
    retryAfterSeconds,
    detail: ownDetail,
    ...members
  } = extra as { retryAfterSeconds?: number; detail?: string }
  return {
    status,
    headers:
      retryAfterSeconds !== undefined
        ? { 'retry-after': String(Math.max(1, retryAfterSeconds)) }
        : kind === 'unauthorized'
          ? { 'www-authenticate': 'Bearer' }
          : null,
    body: {
      type: `/docs#problem-${kind}`,
      title,
      status,
      code: kind,
      detail: ownDetail ?? detail,
      retryable,
      request_id: requestId,
      ...snakeCase(members),
    },
  }
}

function snakeCase(members: object): object {
  const result: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(members)) result[nameOf(key)] = plainValue(key, value)
  return result
}

/** Names of members as they stand in answers: a closed set, made once each. */
const names = new Map<string, string>([
  // A problem's own `status` is the number of the answer: that of an event gets a name beside it.
  ['status', 'current_status'],
])

function nameOf(key: string): string {
  let name = names.get(key)
  if (name === undefined) {
    name = key.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
    names.set(key, name)
  }
  return name
}

function plainValue(key: string, value: unknown): unknown {
  if ((key === 'saleStart' || key === 'saleEnd') && typeof value === 'number')
    return new Date(value).toISOString()
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return snakeCase(value)
  return value
}
