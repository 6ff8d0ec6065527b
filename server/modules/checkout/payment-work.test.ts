import type { PlatformTx } from '@voelgoed/kit/postgres/database'
import { HandTime } from '@voelgoed/testing/hand-time'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { PaymentWork } from './payment-work.ts'

/** A job with so many messages of the gateway to take, and nothing else. */
function stage(messages: number, { areTaken = true } = {}) {
  const time = new HandTime()
  let leased = 0
  const tx = {
    async query(text: string, [limit]: readonly unknown[] = []) {
      if (!text.includes('from gateway_events')) return []
      const rows = Array.from({ length: Math.min(Number(limit), messages - leased) }, (_, n) => ({
        ...{ gateway: 'simulator', id: String(leased + n), attempts: 1 },
        event: areTaken ? { kind: 'ignored' } : { kind: 'refund', refundKey: null, intentId: 'i' },
      }))
      leased += rows.length
      return rows
    },
    async one(text: string) {
      if (!areTaken && text.includes('from payments where intent_id')) throw new Error('no database')
      return { unknown: 0, refunds: 0, oldest: null, given_up: 0 }
    },
  } as unknown as PlatformTx
  const work = new PaymentWork({
    database: { platform: (_: unknown, run: (tx: PlatformTx) => unknown) => run(tx) },
    gateway: { name: 'simulator' },
    log: pino({ level: 'silent' }),
    watch: { news: () => {}, lookedUp: () => {}, refund: () => {} },
    time,
  } as unknown as ConstructorParameters<typeof PaymentWork>[0])
  return { work, time, leased: () => leased }
}

it('goes on at once after a full round, and pauses when nothing more is due', async () => {
  const { work, time, leased } = stage(450)
  work.start()
  await time.pass(0)
  expect(leased()).toBe(200)
  await time.pass(0)
  expect(leased()).toBe(400)
  await time.pass(0)
  expect(leased()).toBe(450)
  await time.pass(0)
  // Each of the four kinds waits for its next look.
  expect(time.waiting).toBe(4)
})

it('pauses after a full round of which nothing could be done', async () => {
  const { work, time, leased } = stage(450, { areTaken: false })
  work.start()
  await time.pass(0)
  expect(leased()).toBe(200)
  await time.pass(4_999)
  expect(leased()).toBe(200)
  await time.pass(1)
  expect(leased()).toBe(400)
})

it('stops between two rounds although more is due', async () => {
  const { work, time, leased } = stage(450)
  work.start()
  await time.pass(0)
  await work.stop()
  await time.pass(10_000)
  expect(leased()).toBe(200)
})
