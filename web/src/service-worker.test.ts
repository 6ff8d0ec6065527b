import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'

type Fetching = { request: object; respondWith(response: Promise<Response>): void }
const listeners = new Map<string, (event: Fetching) => void>()
const cached = new Map<string, Response>()
let answer: () => Promise<Response>

beforeAll(async () => {
  vi.useFakeTimers()
  const words = { en: '/assets/en-2.js', af: '/assets/af-2.js' }
  vi.stubGlobal('__PAGE__', { version: '1', files: [], words, scanFiles: [] })
  vi.stubGlobal('caches', { match: async (name: string) => cached.get(name) })
  vi.stubGlobal('fetch', () => answer())
  vi.stubGlobal('self', {
    addEventListener: (name: string, listener: (event: Fetching) => void) => listeners.set(name, listener),
    location: { origin: 'https://tickets.example.org' },
    navigator: { languages: ['en'] },
    skipWaiting: async () => {},
  })
  await import('./service-worker.ts')
})
beforeEach(() => cached.clear())
afterAll(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const open = (path: string): Promise<Response> => {
  const request = { url: `https://tickets.example.org${path}`, method: 'GET', mode: 'navigate' }
  return new Promise(resolve => listeners.get('fetch')!({ request, respondWith: resolve }))
}
const textOf = async (opening: Promise<Response>) => (await opening).text()

it('a network that stalls: after four seconds the kept shell opens', async () => {
  cached.set('/', new Response('kept'))
  cached.set('/scan', new Response('kept for gates'))
  answer = () => new Promise(() => {})
  const opened = vi.fn()
  const opening = open('/voelgoed/orders/1').then(opened)
  await vi.advanceTimersByTimeAsync(3_900)
  expect(opened).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(200)
  await opening
  expect(await opened.mock.calls[0]![0].text()).toBe('kept')
  const gate = open('/scan')
  await vi.advanceTimersByTimeAsync(4_000)
  expect(await textOf(gate)).toBe('kept for gates')
})

it('without a kept shell the network has all the time it needs', async () => {
  let arrive = () => {}
  answer = () =>
    new Promise(resolve => {
      arrive = () => resolve(new Response('late'))
    })
  const opening = open('/voelgoed/orders/1')
  await vi.advanceTimersByTimeAsync(30_000)
  arrive()
  expect(await textOf(opening)).toBe('late')
})

it('an answer in time counts; that of a broken server or of no network does not', async () => {
  cached.set('/', new Response('kept'))
  answer = async () => new Response('new')
  expect(await textOf(open('/'))).toBe('new')
  answer = async () => new Response('broken', { status: 502 })
  expect(await textOf(open('/'))).toBe('kept')
  cached.set('/', new Response('kept'))
  answer = async () => {
    throw new TypeError('no network')
  }
  expect(await textOf(open('/'))).toBe('kept')
})

it('keeps the words of one language: that which was read here before, else that of the browser', async () => {
  const kept = async (old: readonly string[], languages: readonly string[]) => {
    const added: string[] = []
    vi.stubGlobal('caches', {
      keys: async () => ['shell-0'],
      open: async (name: string) => ({
        keys: async () =>
          name === 'shell-0' ? old.map(path => ({ url: `https://tickets.example.org${path}` })) : [],
        addAll: async (paths: string[]) => void added.push(...paths),
      }),
    })
    Object.assign(self.navigator, { languages })
    let work: Promise<unknown> = Promise.resolve()
    const event = { waitUntil: (promise: Promise<unknown>) => (work = promise) } as unknown as Fetching
    listeners.get('install')!(event)
    await work
    return added
  }
  expect(await kept([], ['af-ZA', 'en'])).toEqual(['/', '/assets/af-2.js'])
  expect(await kept([], ['nl', 'en-GB'])).toEqual(['/', '/assets/en-2.js'])
  expect(await kept([], ['nl'])).toEqual(['/', '/assets/en-2.js'])
  expect(await kept(['/assets/af-1.js'], ['en'])).toEqual(['/', '/assets/af-2.js'])
})
