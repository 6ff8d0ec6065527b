/**
 * Keeps the shell, so that the page opens without a network, and the maps of the halls that were looked at
 * last. Which seats are free is never kept: what is not fresh would be a false promise.
 */
export {}

/** Put in by the build: all that the page is made of, and a name that changes with it. */
declare const __PAGE__: {
  readonly version: string
  readonly files: readonly string[]
  /** By the code of their language. */
  readonly words: Readonly<Record<string, string>>
  /** Only the scanner's page needs these. */
  readonly scanFiles: readonly string[]
}

/** Names what is used here of a service worker's types, which can't stand beside those of a page. */
interface Worker {
  addEventListener(type: 'install' | 'activate', listener: (event: Extendable) => void): void
  addEventListener(type: 'message', listener: (event: Extendable & { readonly data: unknown }) => void): void
  addEventListener(type: 'fetch', listener: (event: Fetching) => void): void
  skipWaiting(): Promise<void>
  readonly clients: { claim(): Promise<void> }
  readonly location: Location
  readonly navigator: { readonly languages: readonly string[] }
}
interface Extendable {
  waitUntil(work: Promise<unknown>): void
}
interface Fetching extends Extendable {
  readonly request: Request
  respondWith(response: Promise<Response>): void
}

/** Once: the build writes all of it in its place. */
const PAGE = __PAGE__
const worker = self as unknown as Worker
const SHELL = `shell-${PAGE.version}`
/** On devices that have opened the scanner's page: its own shell, which may use the camera, and its files. */
const SCAN = `scan-${PAGE.version}`
const MAPS = 'maps'
const KEPT_MAPS = 8
/** A network that stalls: after so long the page opens with the kept shell. */
const PATIENCE_MS = 4_000

worker.addEventListener('install', event => {
  const keep = Promise.all([caches.open(SHELL), wordsToKeep()]).then(([cache, words]) =>
    cache.addAll(['/', ...PAGE.files, ...words]),
  )
  event.waitUntil(keep.then(keepScanAgain).then(() => worker.skipWaiting()))
})

/**
 * It keeps the words of the languages that were read here before, with an older version; else those of the
 * browser's first language that we have.
 */
async function wordsToKeep(): Promise<string[]> {
  const names = (await caches.keys()).filter(name => name.startsWith('shell-'))
  const kept = await Promise.all(names.map(async name => (await caches.open(name)).keys()))
  const wasRead = (code: string) =>
    kept.flat().some(({ url }) => new URL(url).pathname.startsWith(`/assets/${code}-`))
  const all = Object.keys(PAGE.words)
  const read = all.filter(wasRead)
  const known = worker.navigator.languages
    .map(tag => tag.toLowerCase().split('-')[0]!)
    .find(code => all.includes(code))
  return (read.length > 0 ? read : [known ?? 'en']).map(code => PAGE.words[code]!)
}

/** A scanner's device stays one when the page gets a new version. */
async function keepScanAgain(): Promise<void> {
  const names = await caches.keys()
  if (names.some(name => name.startsWith('scan-'))) await keepScan()
}

async function keepScan(): Promise<void> {
  const cache = await caches.open(SCAN)
  // To those who do not ask for a page the server says that there is none.
  const shell = new Request('/scan', { headers: { accept: 'text/html' } })
  await cache.addAll([shell, ...PAGE.scanFiles])
}

worker.addEventListener('message', event => {
  if (event.data === 'keep-scan') event.waitUntil(keepScan().catch(() => {}))
})

worker.addEventListener('activate', event => {
  const tidy = caches
    .keys()
    .then(names =>
      Promise.all(names.filter(name => ![SHELL, SCAN, MAPS].includes(name)).map(name => caches.delete(name))),
    )
  event.waitUntil(tidy.then(() => worker.clients.claim()))
})

worker.addEventListener('fetch', event => {
  const { request } = event
  const url = new URL(request.url)
  if (request.method !== 'GET' || url.origin !== worker.location.origin) return
  if (request.mode === 'navigate') {
    if (url.pathname !== '/docs') event.respondWith(openPage(request))
  } else if (url.pathname.startsWith('/assets/')) {
    event.respondWith(fromCache(request, event))
  } else if (/^\/api\/events\/[^/]+\/map$/.test(url.pathname)) {
    event.respondWith(openMap(request, event))
  }
})

/** The newest shell there is; the kept one when the server does not answer in time. */
async function openPage(request: Request): Promise<Response> {
  const shell = new URL(request.url).pathname === '/scan' ? '/scan' : '/'
  // No network: the same as no answer.
  const answer = fetch(request).catch(() => null)
  const kept = await caches.match(shell, { ignoreVary: true })
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<null>(resolve => {
    if (kept) timer = setTimeout(() => resolve(null), PATIENCE_MS)
  })
  const response = await Promise.race([answer, late])
  clearTimeout(timer)
  return response && response.status < 500 ? response : (kept ?? Response.error())
}

/** Names of assets have a hash of their content in them: what is kept is right. */
async function fromCache(request: Request, event: Extendable): Promise<Response> {
  const kept = await caches.match(request, { ignoreVary: true })
  if (kept) return kept
  const response = await fetch(request)
  // Another language was chosen: from now on without a network as well.
  if (response.ok && Object.values(PAGE.words).includes(new URL(request.url).pathname)) {
    const copy = response.clone()
    event.waitUntil(caches.open(SHELL).then(cache => cache.put(request, copy)))
  }
  return response
}

/** The server's word counts; without it the hall as it was is better than none. */
async function openMap(request: Request, event: Extendable): Promise<Response> {
  try {
    const response = await fetch(request)
    if (response.ok) event.waitUntil(keepMap(request.url, response.clone()))
    return response
  } catch (error) {
    const kept = await caches.match(request.url, { ignoreVary: true })
    if (kept) return kept
    throw error
  }
}

async function keepMap(url: string, response: Response): Promise<void> {
  const cache = await caches.open(MAPS)
  await cache.delete(url, { ignoreVary: true })
  await cache.put(url, response)
  const keys = await cache.keys()
  for (const key of keys.slice(0, Math.max(0, keys.length - KEPT_MAPS)))
    await cache.delete(key, { ignoreVary: true })
}
