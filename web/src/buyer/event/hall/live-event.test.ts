import type { Follow } from '@voelgoed/client'
import { generateVenue } from '@voelgoed/core/layout/generate'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Session } from '../../../kit/state/session.svelte.ts'
import { compiled, encodeLayout } from '../../../map/test/encode-layout.ts'
import { LiveEvent } from './live-event.svelte.ts'

beforeEach(() => {
  vi.stubGlobal('window', new EventTarget())
  vi.stubGlobal('document', new EventTarget())
  vi.stubGlobal('navigator', { onLine: true })
  vi.stubGlobal('requestAnimationFrame', () => 1)
  vi.stubGlobal('cancelAnimationFrame', () => {})
})
afterEach(() => {
  vi.unstubAllGlobals()
})

const mapOf = (seats: number) => encodeLayout(compiled(generateVenue({ kind: 'theatre', seats })))

/** A server with an event of the name and the hall that it is given. */
function serverOf(hall: Uint8Array) {
  const now = { name: 'Before', hall }
  let follow: Follow
  const client = {
    clock: { now: () => 0 },
    call: async (name: string) => ({
      data: name.endsWith('/prices') ? { currency: null } : { name: now.name, status: 'published' },
    }),
    bytes: async () => ({ bytes: now.hall.slice() }),
    follow: (_: string, given: Follow) => {
      follow = given
      return { stop: () => {} }
    },
  }
  return {
    now,
    session: { client, run: <T>(work: () => Promise<T>) => work() } as unknown as Session,
    /** All seats are told again, as after a reset. */
    snapshot: () => follow.onSnapshot({ seq: 1, statuses: new Uint8Array(1_000) }),
  }
}

it('a second snapshot brings what is new of the event, and another model only of another hall', async () => {
  const server = serverOf(mapOf(100))
  let told = 0
  const live = new LiveEvent(server.session, 'event', {
    onEvent: () => {
      told += 1
    },
    onSnapshot: () => {},
    onChanges: () => {},
    onBack: () => {},
    onWake: () => {},
    onLastKnown: () => {},
  })
  expect(await live.open()).toBe(true)
  const { model } = live
  server.snapshot()
  server.now.name = 'After'
  server.snapshot()
  await expect.poll(() => told).toBe(2)
  expect(live.event!.name).toBe('After')
  expect(live.model).toBe(model)
  server.now.hall = mapOf(200)
  server.snapshot()
  await expect.poll(() => told).toBe(3)
  expect(live.model).not.toBe(model)
  live.close()
})
