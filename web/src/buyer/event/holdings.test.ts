import { type Client, createClient } from '@voelgoed/client'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Session } from '../../shared/state/session.svelte.ts'
import { Holdings, type MyHold } from './holdings.svelte.ts'

const MINUTE_MS = 60_000

/** A server whose answers come when the test says so. Its clock also runs while the page sleeps. */
function slowServer() {
  let slept = 0
  let held: { readonly id: string; until: number }[] = []
  const waiting: { readonly name: string; give(): void }[] = []
  const now = () => 1_800_000_000_000 + performance.now() + slept
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
      const answer = () => {
        // The server acts when it is asked; what is late is the answer.
        const headers = { 'content-type': 'application/json' }
        give(new Response(JSON.stringify({ data }), { headers }))
      }
      const data = dataFor(name)
      waiting.push({ name, give: answer })
    })
  }
  return {
    send: send as typeof fetch,
    now,
    hold: (ids: readonly string[], ms: number) => {
      held = ids.map(id => ({ id, until: now() + ms }))
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
