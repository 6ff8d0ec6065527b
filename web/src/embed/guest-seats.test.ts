import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fakeBrowser, json, problem } from '../../test/fake-browser.ts'
import { GuestSeats } from './guest-seats.ts'

const SHOP = { server: 'https://tickets.example.org', organization: 'karoo-stage', event: 'e1' }
const KEY = 'voelgoed-seats:https://tickets.example.org:karoo-stage'
const MINUTE_MS = 60_000

describe('a guest on the page of another site', () => {
  let browser: ReturnType<typeof fakeBrowser>
  let guest: GuestSeats
  let isAway: boolean
  let guests: number
  /** Sessions that the server knows. */
  let sessions: Set<string>
  /** The server says that these are held, by session: until when, and the ordinal of the seat. */
  let held: { session: string; hold_id: string; until: number; seat: number }[]
  let feed: ReadableStreamDefaultController<Uint8Array> | null
  const asked: string[] = []
  const said: string[] = []
  const names = (holds: readonly { hold_id: string }[]) => holds.map(hold => hold.hold_id).join(' ')

  beforeEach(() => {
    vi.useFakeTimers()
    browser = fakeBrowser()
    browser.kept.set(KEY, 'guest 1')
    sessions = new Set(['guest 1'])
    held = []
    isAway = false
    guests = 1
    feed = null
    asked.length = 0
    said.length = 0
    vi.stubGlobal('fetch', fetched)
    guest = new GuestSeats(SHOP, {
      ordinalOf: hold => ('seat_id' in hold ? Number(hold.seat_id) : null),
      onHolds: holds => said.push(`holds: ${names(holds)}`),
      onExpired: holds => said.push(`expired: ${names(holds)}`),
      onEnded: holds => said.push(`ended: ${names(holds)}`),
      onRefused: ({ code }) => said.push(`refused: ${code}`),
      onState: state => said.push(state),
      onChanges: () => {},
    })
  })
  afterEach(() => {
    guest.close()
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })

  const fetched = async (url: unknown, { method = 'GET', headers, signal }: RequestInit = {}) => {
    const { pathname } = new URL(String(url))
    asked.push(`${method} ${pathname}`)
    if (isAway) throw new TypeError('no network')
    const session = (headers as Record<string, string>).authorization?.replace('Bearer ', '') ?? ''
    if (pathname === '/api/sessions/guest') {
      guests += 1
      const token = `guest ${guests}`
      sessions.add(token)
      return json({ data: { token } }, 201)
    }
    if (!sessions.has(session)) return problem(401, 'unauthorized')
    if (pathname.endsWith('/availability')) {
      return new Response(new Uint8Array([0b01_01_01_01]), { headers: { 'voelgoed-seq': '1' } })
    }
    if (pathname.endsWith('/live')) return new Response(stream(signal!))
    if (method === 'DELETE') {
      const before = held.length
      held = held.filter(one => one.session !== session || !pathname.endsWith(one.hold_id))
      return held.length < before ? new Response(null, { status: 204 }) : problem(404, 'not_found')
    }
    if (method === 'POST') hold('new', { session })
    const now = vi.getMockedSystemTime()!.getTime()
    const mine = held.filter(one => one.session === session && one.until > now)
    const data = mine.map(({ hold_id, until, seat }) => ({
      ...{ hold_id, seat_id: String(seat), held_until: new Date(until).toISOString() },
      timestamp: new Date(now).toISOString(),
    }))
    return method === 'POST' ? json({ data: { holds: data } }, 201) : json({ data })
  }
  const stream = (signal: AbortSignal) =>
    new ReadableStream<Uint8Array>({
      start(controller) {
        feed = controller
        tell({ seq: 1, seats: [] })
        const beat = setInterval(() => {
          if (feed === controller) controller.enqueue(new TextEncoder().encode(': \n\n'))
        }, 15_000)
        signal.addEventListener('abort', () => {
          clearInterval(beat)
          if (feed === controller) controller.error(signal.reason)
        })
      },
    })
  const breakFeed = () => {
    const broken = feed!
    feed = null
    broken.error(new Error('broken'))
  }
  const tell = (changes: object) => {
    const text = `event: seats\nid: 1\ndata: ${JSON.stringify({ occupancy: { zones: [] }, ...changes })}\n\n`
    feed!.enqueue(new TextEncoder().encode(text))
  }
  const hold = (hold_id: string, { session = 'guest 1', seat = 0, minutes = 8 } = {}) => {
    held.push({ session, hold_id, seat, until: vi.getMockedSystemTime()!.getTime() + minutes * MINUTE_MS })
  }
  const settle = async (ms = 0) => {
    await vi.advanceTimersByTimeAsync(ms)
    for (let times = 0; times < 10; times += 1) await vi.advanceTimersByTimeAsync(0)
  }
  const open = async () => {
    await guest.open()
    await settle()
    asked.length = 0
    said.length = 0
  }

  it('whose time runs out without a network is told as soon as the server can be asked', async () => {
    hold('h1')
    await open()
    isAway = true
    await settle(9 * MINUTE_MS)
    expect(guest.leftMs).toBe(0)
    expect(said).toEqual([])
    isAway = false
    await settle(10_000)
    expect(said).toEqual(['holds: ', 'expired: h1'])
  })

  it('is asked about when the page is in view again, comes back, or has a network again', async () => {
    await open()
    const wakes = [
      () => browser.document.dispatchEvent(new Event('visibilitychange')),
      () => browser.window.dispatchEvent(new Event('online')),
      () => browser.window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true })),
    ]
    for (const wake of wakes) {
      asked.length = 0
      wake()
      await settle()
      expect(asked).toEqual(['GET /api/holds'])
    }
  })

  it('is asked about when a seat of theirs changes, and when the feed is back', async () => {
    hold('h1')
    hold('h2', { seat: 1 })
    await open()
    tell({ seq: 2, seats: [[2, 'sold']] })
    await settle()
    expect(asked).toEqual([])
    held.shift()
    tell({ seq: 3, seats: [[0, 'sold']] })
    await settle()
    expect(said).toEqual(['holds: h2', 'ended: h1'])
    held.pop()
    said.length = 0
    breakFeed()
    await settle(5_000)
    expect(said).toEqual(['offline', 'live', 'holds: ', 'ended: h2'])
  })

  it('has another session after the first has ended: to hold, to release, and to follow', async () => {
    hold('h1')
    await open()
    sessions.clear()
    await guest.hold({ seat_ids: ['0'] })
    expect(guest.token).toBe('guest 2')
    expect(browser.kept.get(KEY)).toBe('guest 2')
    expect(said).toEqual(['holds: new', 'ended: h1'])
    said.length = 0
    breakFeed()
    await settle(MINUTE_MS)
    expect(said.slice(0, 2)).toEqual(['offline', 'live'])
    sessions.clear()
    said.length = 0
    await guest.release('new')
    expect(said).toEqual(['holds: ', 'ended: new'])
    expect(asked.filter(path => path === 'POST /api/sessions/guest')).toHaveLength(2)
  })

  it('follows again after the feed has refused the session, as one new guest', async () => {
    await open()
    sessions.clear()
    breakFeed()
    await settle(MINUTE_MS)
    expect(said.filter(word => word.startsWith('refused'))).toEqual([])
    expect(said).toContain('live')
    expect(asked.filter(path => path === 'POST /api/sessions/guest')).toHaveLength(1)
  })

  it('is the guest that another tab of the site has become', async () => {
    await open()
    sessions = new Set(['guest of the other tab'])
    browser.kept.set(KEY, 'guest of the other tab')
    await guest.hold({ seat_ids: ['0'] })
    expect(guest.token).toBe('guest of the other tab')
    expect(asked).not.toContain('POST /api/sessions/guest')
  })
})
