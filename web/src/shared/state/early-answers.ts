/** What src/early.ts has asked for while the files of the page were on their way. */
export interface EarlyAnswers {
  /** Whose calls they were. */
  readonly token: string
  /** By `performance.now()`. */
  readonly askedAt: number
  /** By address. Each is taken once. */
  readonly answers: Map<string, Promise<Response>>
}

declare global {
  interface Window {
    earlyAnswers?: EarlyAnswers | undefined
  }
}

/** An answer that is older tells of the past. */
const GOOD_FOR_MS = 30_000

/**
 * `fetch`, which takes the answer that is already there, or on its way, to the same question of the same
 * visitor. What must know when it was sent is not asked for early: see ServerClock.
 */
export const fetchOrEarly: typeof fetch = (input, init) => {
  return (typeof input === 'string' && takeEarly(input, init ?? {})) || fetch(input, init)
}

function takeEarly(
  address: string,
  { method = 'GET', headers, signal }: RequestInit,
): Promise<Response> | null {
  const early = window.earlyAnswers
  const answer = early?.answers.get(address)
  if (!early || !answer || method !== 'GET') return null
  if (new Headers(headers).get('authorization') !== `Bearer ${early.token}`) return null
  early.answers.delete(address)
  if (performance.now() - early.askedAt > GOOD_FOR_MS) return null
  return signal ? Promise.race([ended(signal), answer]) : answer
}

function ended(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = () => reject(signal.reason)
    if (signal.aborted) return end()
    signal.addEventListener('abort', end, { once: true })
  })
}
