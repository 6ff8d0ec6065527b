import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fakeBrowser, json, problem } from '../../../test/fake-browser.ts'
import { Session } from '../../kit/state/session.svelte.ts'
import { forgetBuyer, handOnBuyer } from '../kept-of-buyer.ts'
import { keepOrder, keptOrder, keptTickets } from './kept.ts'
import { OrderView } from './order-view.svelte.ts'
import { placesInBrief } from './ticket-places.ts'

type Kept = Parameters<typeof keepOrder>[0]
const ORDER = 'order-1'

const ticket = (id: string, token: string | null = `token of ${id}`) =>
  ({ ticket_id: id, token, status: token === null ? 'void' : 'valid' }) as Kept['order']['tickets'][number]
const orderOf = (tickets: Kept['order']['tickets'], order_id = ORDER) =>
  ({
    order_id,
    order_number: 'A1',
    event: { id: 'e1', name: 'Play' },
    lines: [],
    refunds: [],
    tickets,
  }) as unknown as Kept['order']
const kept = (
  tickets: Kept['order']['tickets'],
  codes: Kept['codes'],
  userId = 'ana',
  orderId = ORDER,
): Kept => ({
  ...{ userId, order: orderOf(tickets, orderId), event: null, typeNames: {}, codes },
})
const many = Array.from({ length: 41 }, (_, index) => ticket(`t${index}`))
const codesOf = (tickets: Kept['order']['tickets']) =>
  Object.fromEntries(tickets.map(({ ticket_id, token }) => [ticket_id, `<svg>${token}</svg>`]))

let browser: ReturnType<typeof fakeBrowser>
beforeEach(() => {
  browser = fakeBrowser()
})
afterEach(() => vi.unstubAllGlobals())

describe('an order that this browser keeps', () => {
  it('works without a network when the code of each valid ticket is kept, and only then', () => {
    const two = [ticket('t1'), ticket('t2')]
    expect(keepOrder(kept(two, codesOf(two)))).toBe(true)
    expect(keepOrder(kept([...two, ticket('void', null)], codesOf(two)))).toBe(true)
    expect(keepOrder(kept(two, codesOf([two[0]!])))).toBe(false)
    expect(keepOrder(kept(many, codesOf(many)))).toBe(false)
    browser.storage.room = 0
    expect(keepOrder(kept(two, codesOf(two)))).toBe(false)
  })

  it('takes the room of older ones when there is no more', () => {
    const one = [ticket('t1')]
    for (const id of ['old', 'older']) keepOrder(kept(one, codesOf(one), 'ana', id))
    browser.storage.room = browser.kept.get('voelgoed:orders')!.length
    expect(keepOrder(kept(one, codesOf(one)))).toBe(true)
    expect(keptOrder('old', 'ana')).toBeNull()
    expect(keptOrder(ORDER, 'ana')).not.toBeNull()
  })

  it('stays its owner’s under a new id; who signs out leaves nothing', () => {
    const one = [ticket('t1')]
    keepOrder(kept(one, codesOf(one)))
    keepOrder(kept(one, codesOf(one), 'ben', 'other'))
    handOnBuyer('ana', 'new guest')
    expect(keptOrder(ORDER, 'ana')).toBeNull()
    expect(keptOrder(ORDER, 'new guest')).toMatchObject({ codes: codesOf(one) })
    expect(keptOrder('other', 'ben')).not.toBeNull()
    forgetBuyer('new guest')
    expect(keptOrder(ORDER, 'new guest')).toBeNull()
  })
})

describe('the tickets that a page shows by itself', () => {
  const at = (days: number) => new Date(Date.UTC(2027, 0, 10 + days, 18)).toISOString()
  const now = Date.parse(at(0))
  const keep = (id: string, event: object | null, tickets = [ticket('t1')], userId = 'ana') =>
    keepOrder({ ...kept(tickets, codesOf(tickets), userId, id), event: event as Kept['event'] })
  const shown = (userId: string | undefined = 'ana') =>
    keptTickets(userId, now).map(({ order }) => order.order_id)

  it('are of this visitor, valid, and for what is to come: the next first', () => {
    keep('no date', { status: 'published', starts_at: null, days: [] })
    keep('next week', { status: 'published', starts_at: at(7), days: [] })
    keep('tonight', { status: 'live', starts_at: at(0), days: [] })
    keep('over', { status: 'completed', starts_at: at(-3), days: [] })
    keep('its last day is today', { status: 'live', starts_at: at(-5), days: [{ date: at(0).slice(0, 10) }] })
    keep('void', { status: 'live', starts_at: at(1), days: [] }, [ticket('t1', null)])
    keep('cancelled', { status: 'cancelled', starts_at: at(1), days: [] })
    keep('of another', { status: 'live', starts_at: at(1), days: [] }, [ticket('t1')], 'ben')
    expect(shown()).toEqual(['its last day is today', 'tonight', 'next week', 'no date'])
    expect(shown('ben')).toEqual(['of another'])
    expect(keptTickets(undefined, now)).toEqual([])
  })

  it('are named in brief', () => {
    const seat = (row: string | null, seat_number: number | null, zone_name = 'Stalls') => ({
      ...{ zone_name, row, seat_number },
    })
    expect(placesInBrief([seat('G', 20), seat('G', 19), seat(null, null, 'Pit'), seat('H', 1)])).toBe(
      'Stalls G 19, 20 · Pit · Stalls H 1',
    )
  })
})

describe('the page of an order', () => {
  type Answer = Response | Promise<Response>
  const asked: string[] = []
  let answers: Record<string, (path: string) => Answer> = {}
  let session: Session | undefined
  /** The session has ended. */
  let isOver = false
  let view: OrderView
  const open = (secret: string | null = null) => {
    const fetched = async (url: unknown, { method, headers }: RequestInit = {}) => {
      const { pathname, search } = new URL(String(url))
      asked.push(`${method} ${pathname}${search}`)
      const { authorization } = headers as Record<string, string>
      if (isOver && authorization === 'Bearer secret' && method === 'GET') return problem(401, 'unauthorized')
      const [, answer] = Object.entries(answers).find(([path]) => pathname.startsWith(path)) ?? []
      return answer?.(pathname) ?? problem(404, 'not_found')
    }
    vi.stubGlobal('fetch', fetched)
    browser.kept.set('voelgoed:session:voelgoed', JSON.stringify({ token: 'secret', user: { id: 'ana' } }))
    view?.close()
    session?.close()
    session = new Session('voelgoed')
    view = new OrderView(session, ORDER, secret)
    return view.open()
  }
  const svg = (path: string) => new Response(`<svg>token of ${path.split('/')[3]}</svg>`)
  beforeEach(() => {
    // The page looks again after three seconds: only when a test says that they have passed.
    vi.useFakeTimers()
    asked.length = 0
    answers = {}
    isOver = false
  })
  afterEach(() => {
    view.close()
    session!.close()
    vi.useRealTimers()
  })

  it('shows what is kept at once, while a network that stalls is asked', async () => {
    const one = [ticket('t1')]
    keepOrder(kept(one, codesOf(one)))
    answers = { '/api/orders': () => new Promise(() => {}) }
    void open()
    expect(view.order).toMatchObject({ order_id: ORDER })
    expect(view.codes).toEqual(codesOf(one))
    expect(view).toMatchObject({ isLastKnown: true, isTrouble: false, worksOffline: true })
    await expect.poll(() => asked).toEqual([`GET /api/orders/${ORDER}`])
  })

  it('shows nothing that is kept for someone else', async () => {
    const one = [ticket('t1')]
    keepOrder(kept(one, codesOf(one), 'ben'))
    await open()
    expect(view.order).toBeNull()
    expect(view.refused).toMatchObject({ code: 'not_found' })
  })

  it('goes on showing what is kept when the server says that the order is not this guest’s', async () => {
    const one = [ticket('t1')]
    keepOrder(kept(one, codesOf(one)))
    await open()
    expect(view).toMatchObject({
      isLastKnown: true,
      order: { order_id: ORDER },
      refused: { code: 'not_found' },
    })
  })

  it('asks for the codes it does not have, and for that of a ticket that was reissued', async () => {
    keepOrder(kept([ticket('t1'), ticket('t2', 'before')], codesOf([ticket('t1'), ticket('t2', 'before')])))
    answers = {
      '/api/orders': () => json({ data: orderOf([ticket('t1'), ticket('t2'), ticket('t3')]) }),
      '/api/tickets': svg,
    }
    await open()
    expect(view.codes).toEqual(codesOf([ticket('t1'), ticket('t2'), ticket('t3')]))
    expect(asked.filter(path => path.includes('/tickets/'))).toEqual([
      'GET /api/tickets/t2/qr.svg',
      'GET /api/tickets/t3/qr.svg',
    ])
    expect(view).toMatchObject({ isLastKnown: false, worksOffline: true })
    expect(keptOrder(ORDER, 'ana')?.codes).toEqual(view.codes)
  })

  it('does not wait for the names of ticket types before it asks for the codes', async () => {
    answers = {
      '/api/events': () => new Promise(() => {}),
      '/api/orders': () => json({ data: orderOf([ticket('t1')]) }),
      '/api/tickets': svg,
    }
    void open()
    await expect.poll(() => view.worksOffline).toBe(true)
    expect(keptOrder(ORDER, 'ana')?.codes).toEqual(codesOf([ticket('t1')]))
  })

  it('says that it works without a network only when it does', async () => {
    answers = {
      '/api/orders': () => json({ data: orderOf([ticket('t1'), ticket('t2')]) }),
      '/api/tickets/t1': svg,
    }
    await open()
    expect(view.worksOffline).toBe(false)
    answers['/api/tickets/t2'] = svg
    await open()
    expect(view.worksOffline).toBe(true)
    view.close()
    browser.kept.clear()
    browser.storage.room = 0
    await open()
    expect(view.worksOffline).toBe(false)
  })

  it('gives out its files after the session has ended, with the secret it was opened with', async () => {
    const bytes = () => new Response('bytes', { headers: { 'voelgoed-parts': '2' } })
    answers = {
      '/api/orders/order-1/tickets.pdf': bytes,
      '/api/orders/order-1/calendar.ics': bytes,
      '/api/orders': () => json({ data: orderOf([]) }),
      '/api/sessions/guest': () => json({ data: { token: 'new', user: { id: 'new guest' } } }, 201),
    }
    await open('from-the-mail')
    isOver = true
    asked.length = 0
    const names = []
    for await (const { name } of view.pdf('af')) names.push(name)
    names.push((await view.calendar()).name)
    expect(names).toEqual(['A1-1.pdf', 'A1-2.pdf', 'A1.ics'])
    const pdf = 'GET /api/orders/order-1/tickets.pdf?secret=from-the-mail&language=af&part'
    expect(asked).toEqual([
      `${pdf}=1`,
      'POST /api/sessions/guest',
      `${pdf}=1`,
      `${pdf}=2`,
      'GET /api/orders/order-1/calendar.ics?secret=from-the-mail',
    ])
  })

  describe('that stays open', () => {
    const orderWith = (mail: object | null, tickets = [ticket('t1')]) => ({ ...orderOf(tickets), mail })
    let event: Answer | (() => Answer)
    let order: object
    beforeEach(() => {
      event = () => json({ data: { id: 'e1', status: 'published', days: [] } })
      order = orderWith(null)
      answers = {
        '/api/events/e1/prices': () => problem(404, 'not_found'),
        '/api/events/e1': () => (typeof event === 'function' ? event() : event),
        '/api/orders': () => json({ data: order }),
        '/api/tickets': svg,
      }
    })
    const orders = () => asked.filter(path => path === `GET /api/orders/${ORDER}`).length

    it('says when its mail has gone out, and then does not ask for the order again', async () => {
      order = orderWith({ to: 'a@b.example', status: 'queued', ended_at: null })
      await open()
      expect(view.order?.mail?.status).toBe('queued')
      order = orderWith({ to: 'a@b.example', status: 'sent', ended_at: null })
      await vi.advanceTimersByTimeAsync(3_000)
      expect(view.order?.mail?.status).toBe('sent')
      const asked = orders()
      await vi.advanceTimersByTimeAsync(120_000)
      expect(orders()).toBe(asked)
    })

    it('shows no codes once its event is cancelled, and asks what became of the order', async () => {
      await open()
      expect(view.isCancelled).toBe(false)
      event = () => json({ data: { id: 'e1', status: 'cancelled', days: [] } })
      order = orderWith(null, [ticket('t1', null)])
      await vi.advanceTimersByTimeAsync(30_000)
      expect(view.isCancelled).toBe(true)
      expect(view.order?.tickets[0]?.status).toBe('void')
      expect(keptOrder(ORDER, 'ana')?.event?.status).toBe('cancelled')
    })

    it('hears of the cancellation also when the order is another guest’s by now', async () => {
      keepOrder(kept([ticket('t1')], codesOf([ticket('t1')])))
      answers['/api/orders'] = () => problem(404, 'not_found')
      event = () => json({ data: { id: 'e1', status: 'cancelled', days: [] } })
      await open()
      await vi.advanceTimersByTimeAsync(3_000)
      expect(view).toMatchObject({ isCancelled: true, refused: { code: 'not_found' } })
    })

    it('does not look while it is not seen, and looks at once when it is seen again', async () => {
      await open()
      browser.document.hidden = true
      const before = asked.length
      await vi.advanceTimersByTimeAsync(300_000)
      expect(asked.length).toBe(before)
      browser.document.hidden = false
      browser.document.dispatchEvent(new Event('visibilitychange'))
      await vi.advanceTimersByTimeAsync(0)
      expect(orders()).toBe(2)
      view.close()
      await vi.advanceTimersByTimeAsync(300_000)
      expect(orders()).toBe(2)
    })

    it('shows the address and the new codes when the tickets are sent somewhere else', async () => {
      await open()
      const mail = { to: 'new@b.example', status: 'queued', ended_at: null }
      answers['/api/orders'] = path => {
        if (!path.endsWith('/resend')) return json({ data: orderWith(mail, [ticket('t1', 'reissued')]) })
        return json({ data: { mail, reissued: 1 } }, 201)
      }
      const sending = view.resend('new@b.example')
      expect(view.isSending).toBe(true)
      expect(await sending).toBe(1)
      expect(view.isSending).toBe(false)
      expect(view.order?.mail?.to).toBe('new@b.example')
      expect(view.order?.tickets[0]?.token).toBe('reissued')
      answers['/api/orders'] = () => problem(409, 'invalid_transition')
      await expect(view.resend(null)).rejects.toMatchObject({ code: 'invalid_transition' })
      expect(view.isSending).toBe(false)
    })
  })
})
