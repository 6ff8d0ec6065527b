import type { Server as HttpServer } from 'node:http'
import { Server } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'

/** For how long an idle connection may still send a request to a process that is being replaced. */
const LAST_REQUESTS_MS = 2_000
const REQUESTS_END_WITHIN_MS = 15_000
const CLOSE_ANSWERED_EVERY_MS = 100

interface Listening {
  readonly server: HttpServer
  close(): PromiseLike<unknown>
}

/**
 * Lets no more connections in. Resolves when those that are open have ended, each with the answer to its next
 * request, or after a while: what is idle by then can be closed without cutting a request off.
 */
export function takeLastRequests(server: Server, hurry: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const end = () => {
      clearTimeout(bound)
      hurry.removeEventListener('abort', end)
      resolve()
    }
    const bound = setTimeout(end, hurry.aborted ? 0 : LAST_REQUESTS_MS)
    hurry.addEventListener('abort', end)
    // Not close() of an HTTP server, which closes idle connections at once: a request may be on its way.
    Server.prototype.close.call(server, end)
  })
}

/** Resolves when the requests in flight are answered, or their time is over and they were cut off. */
export async function endRequests(app: Listening, log: FastifyBaseLogger, hurry: AbortSignal): Promise<void> {
  const { server } = app
  const cutOff = () => {
    if (!hurry.aborted) log.warn('connections were closed before their requests had ended')
    server.closeAllConnections()
  }
  const bound = setTimeout(cutOff, hurry.aborted ? 0 : REQUESTS_END_WITHIN_MS)
  hurry.addEventListener('abort', cutOff)
  // Node closes those that are idle once, at the beginning: one whose request was in flight then would
  // stay open until the bound.
  const answered = setInterval(() => server.closeIdleConnections(), CLOSE_ANSWERED_EVERY_MS)
  try {
    await app.close()
  } finally {
    clearInterval(answered)
    clearTimeout(bound)
    hurry.removeEventListener('abort', cutOff)
  }
}
