import { problemKinds } from '@voelgoed/core/contract/problems'
import type { Refusal } from '@voelgoed/core/refusal'

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8'

/** A refusal as application/problem+json: the same members for every kind, then what that kind adds. */
export function toProblem(
  refusal: Refusal,
  requestId: string,
): { status: number; body: object; headers: object } {
  const { kind, ...extra } = refusal
  const { status, title, detail, retryable } = problemKinds[kind]
  const {
    retryAfterSeconds,
    detail: ownDetail,
    ...members
  } = extra as { retryAfterSeconds?: number; detail?: string }
  return {
    status,
    headers: {
      ...(retryAfterSeconds !== undefined && { 'retry-after': String(Math.max(1, retryAfterSeconds)) }),
      ...(kind === 'unauthorized' && { 'www-authenticate': 'Bearer' }),
    },
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
  return Object.fromEntries(
    Object.entries(members).map(([key, value]) => [
      // A problem's own `status` is the number of the answer: that of an event gets a name beside it.
      key === 'status' ? 'current_status' : key.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`),
      plainValue(key, value),
    ]),
  )
}

function plainValue(key: string, value: unknown): unknown {
  if ((key === 'saleStart' || key === 'saleEnd') && typeof value === 'number')
    return new Date(value).toISOString()
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return snakeCase(value)
  return value
}
