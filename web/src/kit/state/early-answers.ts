/** src/early.ts has asked for these while the files of the page were on their way. */
export interface EarlyAnswers {
  /** The calls were made with this token. */
  readonly token: string
  /** By `performance.now()`. */
  readonly askedAt: number
  /** When the page took the first of them. */
  takenAt?: number
  /** By address. Each is taken once. */
  readonly answers: Map<string, Promise<Response>>
}

declare global {
  interface Window {
    earlyAnswers?: EarlyAnswers | undefined
  }
}

/** Answers that no page has taken for so long tell of the past. */
const GOOD_FOR_MS = 30_000
/** They belong together: what is asked for so long after the first of them is a new question. */
const TOGETHER_MS = 10_000

/**
 * `fetch`, which takes the answer that is already there, or on its way, to the same question of the same
 * visitor. What must know when it was sent is not asked for early: see ServerClock.
 */
export const fetchOrEarly: typeof fetch = (input, init) => {
  const { method = 'GET' } = init ?? {}
  if (typeof input !== 'string' || method !== 'GET') return fetch(input, init)
  // The page asks for itself from now on: what would be asked early would come too late.
  window.earlyAnswers ??= { token: '', askedAt: 0, answers: new Map() }
  return takeEarly(window.earlyAnswers, input, init ?? {}) ?? fetch(input, init)
}

function takeEarly(
  early: EarlyAnswers,
  address: string,
  { headers, signal }: RequestInit,
): Promise<Response> | null {
  const { answers, askedAt, token } = early
  const answer = answers.get(address)
  if (!answer || new Headers(headers).get('authorization') !== `Bearer ${token}`) return null
  const now = performance.now()
  early.takenAt ??= now
  if (early.takenAt - askedAt > GOOD_FOR_MS || now - early.takenAt > TOGETHER_MS) answers.clear()
  if (!answers.delete(address)) return null
  // A server in trouble then says nothing of a server that is asked again now.
  answer.then(
    ({ ok }) => ok || answers.clear(),
    () => answers.clear(),
  )
  return signal ? Promise.race([ended(signal), answer]) : answer
}

function ended(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = () => reject(signal.reason)
    if (signal.aborted) return end()
    signal.addEventListener('abort', end, { once: true })
  })
}
