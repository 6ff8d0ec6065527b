import type { EarlyAnswers } from './kit/state/early-answers.ts'

/**
 * Runs by itself while the files of the page are on their way, and needs none of them. It asks the server for
 * what the page asks for first, so that the answers come with the files and not after them
 * (kit/state/early-answers.ts). Where it can not, the page asks as if this had not been tried.
 */

/** A guest is asked for within this; after that the page asks, which waits for it. */
const GUEST_MS = 8_000
/** Longer than the page's own calls have: these share the line with its files. */
const ANSWER_MS = 30_000
/** The longest that the page is kept from asking for a guest where the server asked for a pause. */
const PAUSE_MS = 10_000

/** The server says whose page this is where everyone may see it. */
function organization(): string | null {
  const brand = document.querySelector<HTMLMetaElement>('meta[name="brand"]')?.content
  return brand === undefined ? null : ((JSON.parse(brand) as { slug?: string }).slug ?? null)
}

/** Lists what the page asks for, in the form in which it asks. */
function firstCalls(): [path: string, accept: string][] {
  const event = /^\/[^/]+\/events\/([\w-]+)\/?$/.exec(location.pathname)?.[1]
  if (event === undefined) return [['/api/events', 'application/json']]
  return [
    [`/api/events/${event}`, 'application/json'],
    [`/api/events/${event}/map`, 'application/octet-stream'],
    [`/api/events/${event}/prices`, 'application/json'],
    [`/api/events/${event}/availability`, 'application/octet-stream'],
  ]
}

function ask(token: string): void {
  // The page has begun to ask by itself.
  if (window.earlyAnswers) return
  const calls = firstCalls().map(([path, accept]): [string, Promise<Response>] => {
    const headers = { accept, authorization: `Bearer ${token}` }
    const answer = fetch(path, { headers, signal: AbortSignal.timeout(ANSWER_MS) })
      // Read in full: an answer that waits to be read keeps its connection.
      .then(async response => new Response(await response.arrayBuffer(), response))
    answer.catch(() => {})
    return [location.origin + path, answer]
  })
  const early: EarlyAnswers = { token, askedAt: performance.now(), answers: new Map(calls) }
  window.earlyAnswers = early
}

/** See kit/state/session.svelte.ts: the same place, the same lock, so that there is one guest. */
async function begin(): Promise<void> {
  const slug = organization()
  if (slug === null) return
  const key = `voelgoed:session:${slug}`
  const kept = () => (JSON.parse(localStorage.getItem(key) ?? 'null') as { token?: string } | null)?.token
  const known = kept()
  if (known !== undefined) return ask(known)
  // Only on https and localhost.
  if (!navigator.locks) return
  // The request is on its way while the browser finds out about the lock. Where two tabs are opened at the
  // same moment the guest of one of them is not used.
  const asked = fetch('/api/sessions/guest', {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify({ organization: slug }),
    signal: AbortSignal.timeout(GUEST_MS),
  })
  asked.catch(() => {})
  await navigator.locks.request(key, async () => {
    const taken = kept()
    if (taken !== undefined) return ask(taken)
    const answer = await asked
    if (!answer.ok) {
      // The page tries again as soon as the lock is free.
      const wait = 1000 * Number(answer.headers.get('retry-after') ?? 1)
      return new Promise<void>(resolve => setTimeout(resolve, Math.min(wait, PAUSE_MS)))
    }
    const { token, user, organization } = (await answer.json()).data
    // Meanwhile the visitor has signed in.
    if (kept() !== undefined) return
    localStorage.setItem(key, JSON.stringify({ token, user, organization }))
    // Before the lock is free: the page looks for answers as soon as it has the session.
    ask(token)
  })
}

/**
 * The first format of Intl makes the browser read its table of locales, which takes a phone more than a tenth
 * of a second. Browsers keep that table once for all threads: the thread that answers presses finds it read.
 */
function readLocales(): void {
  const [first] = navigator.languages
  new Intl.NumberFormat(first, { style: 'currency', currency: 'ZAR' }).format(1)
  new Intl.DateTimeFormat(first, { weekday: 'short', hour: '2-digit' }).format()
}

if ('document' in globalThis) {
  begin().catch(() => {})
  // This file again, which is there already, on a thread of its own.
  new Worker(import.meta.url, { type: 'module' })
} else {
  readLocales()
  close()
}
