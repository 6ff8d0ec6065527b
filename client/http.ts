import { Refused, readProblem, Unreachable } from './refused.ts'

export async function toError(response: Response, what: string): Promise<Refused | Unreachable> {
  const problem = readProblem(await response.text())
  if (!problem) return new Unreachable(`${what}: an answer ${response.status} that is not ours`)
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new Refused(problem, Number.isFinite(retryAfter) ? retryAfter : null)
}

export function address(
  baseUrl: string,
  path: string,
  params: Readonly<Record<string, string>> = {},
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, value)
  return `${baseUrl.replace(/\/$/, '')}${filled}${search.size > 0 ? `?${search}` : ''}`
}

/** A signal that also ends after a while. `clear` lets go of the timer and of the caller's signal. */
export function bounded(ms: number, outer: AbortSignal | undefined): { signal: AbortSignal; clear(): void } {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(new Error(`no answer within ${ms / 1000} s`)), ms)
  const onAbort = () => controller.abort(outer?.reason)
  if (outer?.aborted) onAbort()
  outer?.addEventListener('abort', onAbort)
  return {
    signal: controller.signal,
    clear() {
      clearTimeout(timer)
      outer?.removeEventListener('abort', onAbort)
    },
  }
}

/** Resolves early when the signal aborts, and does not reject: the caller checks the signal. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal?.aborted) return resolve()
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal?.addEventListener('abort', end)
  })
}

/** Ends with the first of them. Once it has ended, it listens to none of them any more. */
export function anyOf(...signals: AbortSignal[]): AbortSignal {
  const controller = new AbortController()
  const abort = () => controller.abort()
  for (const signal of signals) {
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true, signal: controller.signal })
  }
  return controller.signal
}
