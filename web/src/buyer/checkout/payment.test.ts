import { createClient } from '@voelgoed/client'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fakeBrowser, json } from '../../../test/fake-browser.ts'
import type { Session } from '../../kit/state/session.svelte.ts'
import { Payment } from './payment.svelte.ts'

const STRIPE = { kind: 'stripe', publishable_key: 'pk', client_secret: 'cs', account: null }
const STEP = { kind: 'redirect', url: 'https://bank.example.org/confirm' }
const MINUTE_MS = 60_000

describe('an order that is being paid', () => {
  let browser: ReturnType<typeof fakeBrowser>
  let payment: Payment
  let status: string
  let next: object | null
  let isPayAway: boolean
  const asked: string[] = []
  const PAY = 'POST /pay'
  const LOOK = 'GET'

  beforeEach(() => {
    vi.useFakeTimers()
    browser = fakeBrowser()
    asked.length = 0
    status = 'paying'
    next = null
    isPayAway = false
    const fetched = async (url: unknown, { method }: RequestInit = {}) => {
      const { pathname } = new URL(String(url))
      if (!pathname.startsWith('/api/checkouts')) return json({ data: {} })
      asked.push(pathname.endsWith('/pay') ? PAY : method!)
      if (pathname.endsWith('/pay')) {
        if (isPayAway) throw new TypeError('no network')
        return json({ data: { status, next, declined: null } })
      }
      return json({ data: { checkout_id: 'c1', event_id: 'e1', status, expires_in_seconds: 600, lines: [] } })
    }
    const client = createClient({ baseUrl: 'https://tickets.example.org', fetch: fetched as typeof fetch })
    const session = { client, run: (work: () => Promise<unknown>) => work(), tellTabs: () => {} }
    payment = new Payment(session as unknown as Session, 'c1')
  })
  afterEach(() => {
    payment.close()
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })
  const show = () => browser.document.dispatchEvent(new Event('visibilitychange'))

  it('is asked about until the bank has decided, and then not any more', async () => {
    const opening = payment.open()
    await vi.advanceTimersByTimeAsync(MINUTE_MS)
    expect(asked.slice(0, 3)).toEqual([LOOK, PAY, LOOK])
    expect(payment.isBuyersTurn).toBe(false)
    status = 'paid'
    await vi.advanceTimersByTimeAsync(MINUTE_MS)
    await opening
    expect(payment).toMatchObject({ isStopped: false, checkout: { status: 'paid' } })
  })

  it('waits in silence while the buyer types the card into Stripe’s form', async () => {
    next = STRIPE
    await payment.open()
    expect(asked).toEqual([LOOK, PAY, LOOK])
    await vi.advanceTimersByTimeAsync(20 * MINUTE_MS)
    expect(payment).toMatchObject({ isStopped: false, isBuyersTurn: true })
    expect(asked).toHaveLength(3)
    // Back from another app: our own server is asked once.
    show()
    await vi.advanceTimersByTimeAsync(20 * MINUTE_MS)
    expect(asked.slice(3)).toEqual([LOOK])
    expect(payment.isStopped).toBe(false)
  })

  it('is the bank’s turn as soon as Stripe has the card, whatever was asked before', async () => {
    void payment.open()
    // The gateway is slow to say whose turn it is; the page asks every few seconds.
    await vi.advanceTimersByTimeAsync(30_000)
    next = STRIPE
    await payment.sent()
    expect(payment.isBuyersTurn).toBe(true)
    next = null
    asked.length = 0
    void payment.sent()
    expect(payment.isBuyersTurn).toBe(false)
    await vi.advanceTimersByTimeAsync(0)
    expect(asked).toEqual([PAY, LOOK])
    status = 'paid'
    await vi.advanceTimersByTimeAsync(2_000)
    expect(payment.checkout).toMatchObject({ status: 'paid' })
  })

  it('asks the gateway until it has said once whose turn it is', async () => {
    next = STRIPE
    isPayAway = true
    const opening = payment.open()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(payment.isBuyersTurn).toBe(false)
    isPayAway = false
    await vi.advanceTimersByTimeAsync(MINUTE_MS)
    await opening
    expect(payment.isBuyersTurn).toBe(true)
  })

  it('can be continued after the bank’s page was left by the way back', async () => {
    status = 'open'
    await payment.open()
    next = STEP
    await payment.pay(null)
    expect(payment.isLeaving).toBe(true)
    status = 'paying'
    browser.window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }))
    await vi.advanceTimersByTimeAsync(0)
    expect(payment).toMatchObject({ isLeaving: false, stepUrl: STEP.url, checkout: { status: 'paying' } })
  })
})
