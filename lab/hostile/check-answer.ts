import { createOrder } from '@voelgoed/contract/orders'
import { problemKinds } from '@voelgoed/contract/problems'
import type { Route } from '@voelgoed/contract/route'
import { brokenPromise } from './answer-schemas.ts'
import { LAYOUT_ROUTES } from './honest.ts'
import type { HostileRequest } from './make-request.ts'
import type { Answer, Outcome } from './wire.ts'

/**
 * The attack ended with a status, with `busy` from the layout compiler, or with the end of the connection.
 */
export type Verdict = { readonly result: string; readonly violation: string | null }

export function judge(request: HostileRequest, outcome: Outcome): Verdict {
  if (outcome.end === 'silent') return { result: 'silent', violation: 'no answer within the bound' }
  const [first] = outcome.answers
  if (!first) {
    const reason = outcome.error ? ` (${outcome.error})` : ''
    const violation = request.draft.mayClose ? null : `closed without an answer${reason}`
    return { result: 'closed', violation }
  }
  for (const answer of outcome.answers) {
    const violation = check(request, answer)
    if (violation) return { result: String(answer.status), violation }
  }
  return { result: isBusy(request, first) ? 'busy' : String(first.status), violation: null }
}

function check(request: HostileRequest, answer: Answer): string | null {
  const { status } = answer
  const text = answer.headers.has('content-encoding') ? '' : answer.body.toString('utf8')
  const leak = LEAKS.find(pattern => pattern.test(text))
  if (leak) return `the body gives something away: ${leak.exec(text)![0]}`
  if (status >= 500 && !isBusy(request, answer)) return `status ${status}`
  if ((status >= 200 && status < 300) || status === 304) {
    if (request.draft.mustBeRefused) return `let in with ${status}`
    return brokenPromise(request.route, request.draft, answer, text)
  }
  // A page under another spelling of its address: the answer names the one it has, on this server.
  if (status === 308 && answer.bytes === 0) {
    return isOwnPage(answer.headers.get('location') ?? '') ? null : 'a redirect to somewhere else'
  }
  // A head that is too large is refused before there is a request to answer.
  if (status === 431 && request.draft.alone) return null
  if (request.draft.method === 'HEAD') return null
  return checkProblem(answer, text)
}

/** In small letters up to its query, and with one slash at its beginning, so that no host can be meant. */
function isOwnPage(location: string): boolean {
  const path = location.split('?', 1)[0]!
  return /^\/[^/\\]/.test(path) && path === path.toLowerCase()
}

/** By load alone: the layout compiler takes one job at a time, and the history of holds may be behind. */
const MAY_BE_BUSY: readonly Route[] = [...LAYOUT_ROUTES, createOrder]

export function isBusy(request: HostileRequest, answer: Answer): boolean {
  return (
    answer.status === 503 &&
    MAY_BE_BUSY.includes(request.route) &&
    answer.headers.has('retry-after') &&
    /"code":"busy"/.test(answer.body.toString('latin1'))
  )
}

const MEMBERS = {
  type: 'string',
  title: 'string',
  status: 'number',
  code: 'string',
  detail: 'string',
  retryable: 'boolean',
} as const

function checkProblem(answer: Answer, text: string): string | null {
  const contentType = answer.headers.get('content-type') ?? 'no content type'
  if (!contentType.startsWith('application/problem+json')) {
    return `status ${answer.status} with ${contentType} instead of application/problem+json`
  }
  // Only the beginning of a very long one was kept.
  if (answer.bytes > answer.body.length) return null
  let problem: Record<string, unknown>
  try {
    problem = JSON.parse(text) as Record<string, unknown>
  } catch {
    return `status ${answer.status} with a body that is not JSON`
  }
  for (const [member, type] of Object.entries(MEMBERS)) {
    if (typeof problem[member] !== type) return `a problem without ${member}`
  }
  if (problem.status !== answer.status) return `status ${answer.status}, but ${problem.status} in the body`
  if (!Object.hasOwn(problemKinds, problem.code as string))
    return `a code that is not in the contract: ${problem.code}`
  return null
}

/** Stack traces, paths of the installation, SQL and the words of Postgres. No attack sends any of these. */
const LEAKS: readonly RegExp[] = [
  /\n\s+at .+[:(]/,
  /\\n\s+at .+[:(]/,
  /node_modules|node:internal|file:\/\/|\.ts:\d+/,
  /\b(select|insert into|update|delete from)\b [^"]{0,200}\b(from|values|set|where)\b/i,
  /syntax error at or near|invalid input syntax|invalid byte sequence|violates .{0,40} constraint/i,
  /relation \\?"|column \\?"|voelgoed_(app|platform)|pg_catalog|\bECONN(REFUSED|RESET)\b/,
]
