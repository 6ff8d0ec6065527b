import { problemKinds } from '@voelgoed/contract/problems'
import type { Refusal } from '@voelgoed/core/refusal'

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8'

/** A refusal as application/problem+json: the same members for every kind, then what that kind adds. */
export function toProblem(
  refusal: Refusal,
  requestId: string,
): { status: number; text: string; headers: Record<string, string> | null } {
  const { kind } = refusal
  const { retryAfterSeconds, detail } = refusal as { retryAfterSeconds?: number; detail?: string }
  const { status, retryable } = problemKinds[kind]
  const members = JSON.stringify({ retryable, request_id: requestId, ...snakeCase(refusal, NOT_MEMBERS) })
  return {
    status,
    headers:
      retryAfterSeconds !== undefined
        ? { 'retry-after': String(Math.max(1, retryAfterSeconds)) }
        : kind === 'unauthorized'
          ? { 'www-authenticate': 'Bearer' }
          : null,
    text: `${detail === undefined ? usualBeginning(kind) : beginning(kind, detail)},${members.slice(1)}`,
  }
}

/** The beginning of a problem with its usual detail: made once for each kind. */
function usualBeginning(kind: Refusal['kind']): string {
  let text = beginnings.get(kind)
  if (text === undefined) {
    text = beginning(kind, problemKinds[kind].detail)
    beginnings.set(kind, text)
  }
  return text
}

const beginnings = new Map<Refusal['kind'], string>()

function beginning(kind: Refusal['kind'], detail: string): string {
  const { status, title } = problemKinds[kind]
  return JSON.stringify({ type: `/docs#problem-${kind}`, title, status, code: kind, detail }).slice(0, -1)
}

/** These stand elsewhere in a problem, or in a header. */
const NOT_MEMBERS: ReadonlySet<string> = new Set(['kind', 'retryAfterSeconds', 'detail'])

function snakeCase(members: object, leaveOut: ReadonlySet<string> | null = null): object {
  const result: Record<string, unknown> = {}
  for (const key of Object.keys(members)) {
    if (leaveOut?.has(key)) continue
    result[nameOf(key)] = plainValue(key, (members as Record<string, unknown>)[key])
  }
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
  if (Array.isArray(value)) {
    return value.map(item => (typeof item === 'object' && item !== null ? snakeCase(item) : item))
  }
  return typeof value === 'object' && value !== null ? snakeCase(value) : value
}
