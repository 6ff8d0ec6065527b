import { type Client, createClient } from '@voelgoed/client'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Session } from '../../../kit/state/session.svelte.ts'
import { Holdings, type MyHold } from './holdings.svelte.ts'

const MINUTE_MS = 60_000

/** A server whose answers come when the test says so. Its clock also runs while the page sleeps. */
function slowServer() {
  let slept = 0
  let held: { readonly id: string; until: number }[] = []
  const waiting: { readonly name: string; give(): void }[] = []
  let isWayThereSlow = false
  const now = () => vi.getMockedSystemTime()!.getTime() + slept
  const living = () => held.filter(({ until }) => until > now())
  const answerOf = ({ id, until }: { readonly id: string; until: number }) => ({
    hold_id: id,
    seat_id: `seat of ${id}`,
    held_until: new Date(until).toISOString(),
    expires_in_seconds: Math.floor((until - now()) / 1000),
  })
  const cart = () => ({
    holds: living().map(answerOf),
    held_until: living().length === 0 ? null : new Date(living()[0]!.until).toISOString(),
    expires_in_seconds: living().length === 0 ? null : Math.floor((living()[0]!.until - now()) / 1000),
    warnings: [],
    timestamp: new Date(now()).toISOString(),
  })
  const dataFor = (name: string) => {
    if (name.endsWith('/extend')) for (const hold of living()) hold.until = now() + 5 * MINUTE_MS
    return name.endsWith('/extend') ? answerOf(living()[0]!) : cart()
  }
  const send = (url: unknown, { method }: { method?: string } = {}) => {
    const name = `${method} ${new URL(String(url)).pathname}`
    return new Promise<Response>(give => {
      const done = isWayThereSlow ? null : dataFor(name)
      const answer = () => {
        const headers = { 'content-type': 'application/json' }
        give(new Response(JSON.stringify({ data: done ?? dataFor(name) }), { headers }))
      }
      waiting.push({ name, give: answer })
    })
  }
  return {
    send: send as typeof fetch,
    now,
    hold: (ids: readonly string[], ms: number) => {
      held = ids.map(id => ({ id, until: now() + ms }))
    },
    /** Questions are late from now on. Else the server acts at once, and its answers are late. */
    slowWayThere: () => {
      isWayThereSlow = true
    },
    /** The phone sleeps, and its clock with it. */
    sleep: (ms: number) => {
      slept += ms
    },
    asked: () => waiting.map(({ name }) => name),
    async answer() {
      const next = waiting.shift()
      if (!next) throw new Error('the page did not ask')
      next.give()
      await settled()
    },
    async answerAll() {
      while (waiting.length > 0) await this.answer()
    },
  }
}

const settled = () => vi.advanceTimersByTimeAsync(0)

function open(server: ReturnType<typeof slowServer>) {
  const client: Client = createClient({ baseUrl: 'https://example.org', fetch: server.send })
  const session = { client, run: <T>(work: () => Promise<T>) => work(), tellTabs: () => {} }
  const holdings = new Holdings(session as unknown as Session, 'event')
  const vanished: MyHold[] = []
  holdings.onVanished = holds => vanished.push(...holds)
  const ids = (holds: readonly MyHold[]) => holds.map(hold => hold.hold_id)
  return {
    client,
    holdings,
    held: () => ids(holdings.all),
    lost: () => ids(holdings.lost),
    vanished: () => ids(vanished),
    async refresh() {
      const done = holdings.refresh()
      await server.answer()
      await done
    },
  }
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('after the phone has slept', () => {
  it('an empty cart tells the time', async () => {
    const server = slowServer()
    const page = open(server)
    await page.refresh()
    expect(page.client.clock.now()).toBe(server.now())
    server.sleep(20 * MINUTE_MS)
    await page.refresh()
    expect(page.client.clock.earliest()).toBe(server.now())
    page.holdings.close()
  })

  it('holds that ended meanwhile are told as ended by time', async () => {
    const server = slowServer()
    const page = open(server)
    server.hold(['a', 'b'], 10 * MINUTE_MS)
    await page.refresh()
    expect(page.held()).toEqual(['a', 'b'])
    server.sleep(20 * MINUTE_MS)
    await page.refresh()
    expect(page.held()).toEqual([])
    expect(page.lost()).toEqual(['a', 'b'])
    expect(page.vanished()).toEqual([])
    page.holdings.close()
  })
})

describe('when the time of the cart is over', () => {
  it('time that was won in the last second counts, also if its answer comes later', async () => {
    const server = slowServer()
    const page = open(server)
    server.hold(['a', 'b'], MINUTE_MS)
    await page.refresh()
    await vi.advanceTimersByTimeAsync(59_000)
    const extended = page.holdings.extend()
    await vi.advanceTimersByTimeAsync(2_000)
    expect(page.held()).toEqual([])
    expect(page.lost()).toEqual(['a', 'b'])
    await server.answerAll()
    await extended
    expect(page.held()).toEqual(['a', 'b'])
    expect(page.lost()).toEqual([])
    expect(page.holdings.canExtend).toBe(true)
    expect(page.holdings.secondsLeft).toBe(298)
    await page.refresh()
    expect(page.held()).toEqual(['a', 'b'])
    page.holdings.close()
  })

  it('holds that another tab has won time for are shown again', async () => {
    const server = slowServer()
    const page = open(server)
    server.hold(['a'], MINUTE_MS)
    await page.refresh()
    server.hold(['a'], 5 * MINUTE_MS)
    await vi.advanceTimersByTimeAsync(MINUTE_MS)
    expect(page.lost()).toEqual(['a'])
    await server.answerAll()
    expect(page.held()).toEqual(['a'])
    expect(page.lost()).toEqual([])
    page.holdings.close()
  })

  it('an answer that was asked for before does not bring them back', async () => {
    const server = slowServer()
    const page = open(server)
    server.hold(['a'], MINUTE_MS)
    await page.refresh()
    await vi.advanceTimersByTimeAsync(59_000)
    const asked = page.holdings.refresh()
    await vi.advanceTimersByTimeAsync(1_000)
    await server.answerAll()
    await asked
    expect(page.held()).toEqual([])
    expect(page.lost()).toEqual(['a'])
    expect(page.vanished()).toEqual([])
    page.holdings.close()
  })

  it('a page whose clock is early asks once, and tells of each hold once', async () => {
    const server = slowServer()
    server.slowWayThere()
    const page = open(server)
    server.hold(['a'], MINUTE_MS)
    const asked = page.holdings.refresh()
    await vi.advanceTimersByTimeAsync(500)
    await server.answer()
    await asked
    await vi.advanceTimersByTimeAsync(59_100)
    expect(page.lost()).toEqual(['a'])
    // By the server's clock it is still alive for a moment.
    await vi.advanceTimersByTimeAsync(300)
    await server.answer()
    expect(page.held()).toEqual([])
    expect(page.lost()).toEqual(['a'])
    expect(server.asked()).toEqual([])
    page.holdings.close()
  })
})

it('what an old visitor held is not shown to the next one, however late its answer comes', async () => {
  const server = slowServer()
  const page = open(server)
  server.hold(['a'], MINUTE_MS)
  await page.refresh()
  const asked = page.holdings.refresh()
  page.holdings.forgetAll()
  server.hold([], 0)
  await server.answerAll()
  await asked
  expect(page.held()).toEqual([])
  expect(page.vanished()).toEqual([])
  page.holdings.close()
})
