import { randomUUID } from 'node:crypto'
import type { Person } from '../../found-organization.ts'
import type { Heard } from '../../judge/books/books.ts'
import type { EventOnSale } from '../../nemesis/site.ts'
import type { Random } from '../../random.ts'
import { type Answer, type AskDeps, ask, type Question, scanOf } from './ask.ts'

export interface ShownTicket {
  readonly ticket_id: string
  /** Null: a standing place. */
  readonly seat_id: string | null
  readonly token: string | null
}

const DEVICES = ['north', 'south', 'east', 'west']

/** A gate that hears nothing of the time: it is behind by a day and more. */
const WRONG_CLOCK_MS = 26 * 3_600_000

/** Each ticket at one gate, at two at once, twice at the same, or at gates without a network. */
export async function atTheGates(
  deps: AskDeps,
  scanner: Person,
  event: EventOnSale,
  tickets: readonly ShownTicket[],
): Promise<void> {
  const { random } = deps
  for (const { ticket_id: ticket, token } of tickets) {
    if (token === null) continue
    const shown = { ticket, token }
    const [one, other] = random.shuffled(DEVICES)
    const first = { ...shown, device: one!, scan: randomUUID() }
    const show = (scanned: Scan) => scan(deps, scanner, event, scanned)
    const showElsewhere = () => show({ ...shown, device: other!, scan: randomUUID() })
    const { gate } = random.weighted(GATES)
    switch (gate) {
      case 'one':
        await show(first)
        break
      case 'two':
        await Promise.all([show(first), showElsewhere()])
        break
      case 'again':
        await show(first)
        await show(first)
        break
      case 'offline':
      case 'wrong clock': {
        const madeAt = Date.now() - (gate === 'offline' ? random.below(500) : WRONG_CLOCK_MS)
        const telling = upload(deps, scanner, event, first, madeAt)
        await Promise.all([telling, random.chance(0.5) && showElsewhere()])
        break
      }
    }
  }
}

const GATES = [
  { gate: 'one', weight: 4 },
  { gate: 'two', weight: 4 },
  { gate: 'again', weight: 1 },
  { gate: 'offline', weight: 2 },
  { gate: 'wrong clock', weight: 1 },
] as const

interface Scan {
  readonly ticket: string
  readonly token: string
  readonly device: string
  readonly scan: string
}

async function scan(deps: AskDeps, scanner: Person, event: EventOnSale, one: Scan): Promise<void> {
  const { ticket, token, device, scan } = one
  const body = { token, device_id: device, scan_id: scan, gate: device }
  const question: Question = {
    ...{ kind: 'scan', method: 'POST', path: '/api/scans', body, person: scanner, event },
    read: data => ({ scans: [scanOf(data, { ticket, device, scan })] }),
  }
  const answer = await ask(deps, question)
  // A gate that hears nothing asks again, by the same name.
  if (answer.heard.outcome === 'unknown') await ask(deps, question)
}

/** A gate without a network has let these in at that time, and has a network now. */
export async function uploadLate(
  deps: AskDeps,
  scanner: Person,
  event: EventOnSale,
  tickets: readonly ShownTicket[],
  madeAt: number,
): Promise<void> {
  const device = deps.random.pick(DEVICES)
  for (const { ticket_id: ticket, token } of tickets) {
    if (token !== null)
      await upload(deps, scanner, event, { ticket, token, device, scan: randomUUID() }, madeAt)
  }
}

/** A gate without a network has done this, at a time that its clock says. */
async function upload(
  deps: AskDeps,
  scanner: Person,
  event: EventOnSale,
  one: Scan,
  madeAt: number,
): Promise<void> {
  const { ticket, token, device, scan } = one
  const at = new Date(madeAt).toISOString()
  await ask(deps, {
    ...{ kind: 'upload', method: 'POST', path: '/api/scans/batch', person: scanner, event },
    body: { device_id: device, scans: [{ scan_id: scan, token, at, gate: device }] },
    read: data => ({
      scans: data.scans.map((each: Parameters<typeof scanOf>[0]) => scanOf(each, { ticket, device, scan })),
    }),
  })
}

/** An order that staff work on, and what its buyer was shown of it. */
interface ShownOrder {
  readonly event: EventOnSale
  readonly order: string
  readonly tickets: readonly ShownTicket[]
}

/** All of an order, or some of its tickets; now and then by two members of staff at once. */
export async function refund(deps: AskDeps, organizer: Person, shown: ShownOrder): Promise<void> {
  const { random } = deps
  const all = shown.tickets.map(({ ticket_id }) => ticket_id)
  const isWhole = random.chance(0.4)
  const some = all.slice(0, 1 + random.below(all.length))
  await onceOrTwice(random, () =>
    changeOrder(deps, organizer, shown, {
      kind: 'refund',
      about: { tickets: isWhole ? all : some },
      body: { reason: 'The buyer is ill', ...(!isWhole && { ticket_ids: some }) },
    }),
  )
}

/** Tickets of seats go to other seats, free or not; now and then by two members of staff at once. */
export async function move(deps: AskDeps, organizer: Person, shown: ShownOrder): Promise<void> {
  const { random } = deps
  const { seats } = shown.event
  const seated = shown.tickets.filter(({ seat_id }) => seat_id !== null)
  if (seated.length === 0) return
  const some = random.shuffled(seated).slice(0, 1 + random.below(seated.length))
  await onceOrTwice(random, () => {
    const first = random.below(seats.length - some.length)
    const moves = some.map(({ ticket_id }, index) => ({ ticket: ticket_id, ordinal: first + index }))
    return changeOrder(deps, organizer, shown, {
      kind: 'move',
      about: { moves, tickets: moves.map(({ ticket }) => ticket) },
      body: {
        reason: 'The buyer wants an aisle',
        moves: moves.map(({ ticket, ordinal }) => ({ ticket_id: ticket, seat_id: seats[ordinal] })),
      },
    })
  })
}

function changeOrder(
  deps: AskDeps,
  person: Person,
  { event, order }: ShownOrder,
  { kind, about, body }: { kind: 'refund' | 'move'; about: Partial<Heard>; body: object },
): Promise<Answer> {
  const path = `/api/admin/orders/${order}/${kind}`
  const headers = { 'idempotency-key': randomUUID() }
  return ask(deps, { kind, method: 'POST', path, person, event, about: { order, ...about }, body, headers })
}

function onceOrTwice<T>(random: Random, act: () => Promise<T>): Promise<T[]> {
  return Promise.all(random.chance(0.3) ? [act(), act()] : [act()])
}

/** A platform that has the money sells the holds by its own reference; now and then twice at once. */
export async function sellExternally(
  deps: AskDeps,
  organizer: Person,
  event: EventOnSale,
  holds: readonly string[],
): Promise<void> {
  const { random } = deps
  const reference = `shop-${random.hex(16)}`
  const body = {
    event_id: event.eventId,
    hold_ids: holds,
    ...{ method: 'external', reference, currency: 'ZAR', allow_stranding: true },
    lines: holds.map(hold_id => ({ hold_id, amount: 12_345 })),
  }
  const sell = () => {
    const common = { kind: 'external' as const, person: organizer, event, about: { reference } }
    return ask(deps, { ...common, method: 'POST', path: '/api/admin/orders', body })
  }
  const answers = await onceOrTwice(random, sell)
  if (answers.some(({ heard }) => heard.outcome === 'unknown')) await sell()
}
