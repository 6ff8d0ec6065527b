import { vi } from 'vitest'

/**
 * Plays the parts of a browser that modules of the page use when no page is there. `vi.unstubAllGlobals`
 * takes it away.
 */
export function fakeBrowser() {
  const window = new EventTarget()
  const document = Object.assign(new EventTarget(), { hidden: false })
  const kept = new Map<string, string>()
  /** More letters than this do not fit; 0: nothing may be kept. */
  const storage = { room: Number.POSITIVE_INFINITY }
  vi.stubGlobal('window', window)
  vi.stubGlobal('document', document)
  vi.stubGlobal('navigator', {})
  vi.stubGlobal('location', { origin: 'https://tickets.example.org', assign: vi.fn() })
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem(key: string, value: string) {
      if (value.length > storage.room) throw new DOMException('no room', 'QuotaExceededError')
      kept.set(key, value)
    },
    removeItem: (key: string) => kept.delete(key),
  })
  return { window, document, kept, storage }
}

export function problem(status: number, code: string): Response {
  const body = { type: 'about:blank', title: code, status, code, detail: '', retryable: false }
  const headers = { 'content-type': 'application/problem+json' }
  return new Response(JSON.stringify(body), { status, headers })
}

export function json(body: unknown, status = 200): Response {
  const headers = { 'content-type': 'application/json' }
  return new Response(JSON.stringify(body), { status, headers })
}
