import type { Data } from '@voelgoed/client'
import type { Visitor } from '../../kit/state/session.svelte.ts'

type Order = Data<'GET /api/orders/:order'>
type Event = Data<'GET /api/events/:event'>
type User = Visitor['user']

/** This browser remembers these of paying, and never anything of a card. */
export interface Contact {
  readonly name: string
  readonly email: string
}

/** An order as the server last said, for the person it was told to. */
export interface KeptOrder {
  readonly userId: string
  readonly order: Order
  readonly event: Event | null
  readonly typeNames: Readonly<Record<string, string>>
  /** QR codes as SVG, by ticket. */
  readonly codes: Readonly<Record<string, string>>
  /** Its buyer signed out and left it here: it opens to whom the device belongs. */
  readonly staysOnDevice?: boolean
}

const CONTACT = 'voelgoed:contact'
const ORDERS = 'voelgoed:orders'
const KEPT_ORDERS = 8
/** An order keeps at most this many codes: a browser has room for about five million letters in all. */
const KEPT_CODES = 40
/** So long after it begins an event, or a day of the calendar, is over everywhere. */
const OVER_MS = 2 * 24 * 60 * 60_000

/**
 * The tickets of a visitor go there unless they say otherwise: to the account's address; a guest's to the one
 * that this same guest gave before. Two people share a device more often than a person has two addresses.
 */
export function contactOf(user: User | undefined): Contact {
  const kept = read(CONTACT) as (Partial<Contact> & { readonly userId?: string }) | null
  const own = user !== undefined && kept?.userId === user.id ? kept : null
  return { name: own?.name ?? '', email: user?.email ?? own?.email ?? '' }
}

export function keepContact(userId: string, { name, email }: Contact): void {
  write(CONTACT, { userId, name, email })
}

export function keptOrder(orderId: string, userId: string | undefined): KeptOrder | null {
  const kept = list<KeptOrder>(ORDERS).find(([id]) => id === orderId)?.[1]
  return kept && (kept.userId === userId || kept.staysOnDevice) ? kept : null
}

export function keptOrders(userId: string | undefined): KeptOrder[] {
  return list<KeptOrder>(ORDERS)
    .map(([, kept]) => kept)
    .filter(kept => kept.userId === userId || kept.staysOnDevice)
}

/**
 * Orders with tickets for what is still to come, or has just been, the next first. What has no date is last.
 */
export function keptTickets(userId: string | undefined, now: number): KeptOrder[] {
  return keptToCome(keptOrders(userId), now)
}

export function keptToCome<
  Bought extends Pick<KeptOrder, 'event'> & { readonly order: Pick<Order, 'tickets'> },
>(orders: readonly Bought[], now: number): Bought[] {
  const startOf = ({ event }: Bought) => (event?.starts_at ? Date.parse(event.starts_at) : null)
  const endOf = (bought: Bought) => {
    const last = bought.event?.days.at(-1)?.date
    return (
      Math.max(startOf(bought) ?? 0, last === undefined ? 0 : Date.parse(last)) || Number.POSITIVE_INFINITY
    )
  }
  return orders
    .filter(bought => bought.event?.status !== 'cancelled' && endOf(bought) > now - OVER_MS)
    .filter(({ order }) => order.tickets.some(({ status }) => status === 'valid'))
    .sort((a, b) => (startOf(a) ?? Number.MAX_VALUE) - (startOf(b) ?? Number.MAX_VALUE))
}

/** Counts the valid tickets that this browser keeps of a person. */
export function countKeptTickets(userId: string): number {
  const mine = list<KeptOrder>(ORDERS).filter(([, kept]) => kept.userId === userId)
  return mine.reduce((sum, [, { order }]) => sum + order.tickets.filter(isValid).length, 0)
}

/** Their buyer signs out, and wants to open them here all the same. */
export function leaveOnDevice(userId: string): void {
  write(
    ORDERS,
    list<KeptOrder>(ORDERS).map(([id, kept]) => [
      id,
      kept.userId === userId ? { ...kept, staysOnDevice: true } : kept,
    ]),
  )
}

const isValid = ({ status }: Order['tickets'][number]) => status === 'valid'

/** True: the order opens without a network, with the code of every valid ticket. */
export function keepOrder(order: KeptOrder): boolean {
  const kept = { ...order, codes: Object.fromEntries(Object.entries(order.codes).slice(0, KEPT_CODES)) }
  return keepIn(ORDERS, order.order.order_id, kept, KEPT_ORDERS) && hasAllCodes(kept)
}

export function hasAllCodes({ order, codes }: KeptOrder): boolean {
  return order.tickets.every(({ status, ticket_id }) => status !== 'valid' || ticket_id in codes)
}

/**
 * The same person has another id: their session had ended, or they have signed in. Their name and address do
 * not go along: whether the person at the device is the one who typed them is not known.
 */
export function handOnPurchases(from: string, to: string): void {
  const orders = list<KeptOrder>(ORDERS)
  if (!orders.some(([, { userId }]) => userId === from)) return
  write(
    ORDERS,
    orders.map(([id, kept]) => [id, kept.userId === from ? { ...kept, userId: to } : kept]),
  )
}

/** Someone signs out: the next person at this browser has no business with what they did not leave here. */
export function forgetPurchases(userId: string): void {
  write(
    ORDERS,
    list<KeptOrder>(ORDERS).filter(([, kept]) => kept.userId !== userId || kept.staysOnDevice),
  )
  try {
    localStorage.removeItem(CONTACT)
  } catch {
    // Not allowed: then nothing was kept.
  }
}

/** False: there is no room, or it is not allowed. The oldest make room for the new one. */
function keepIn(key: string, id: string, value: unknown, most: number): boolean {
  const others = list(key).filter(([other]) => other !== id)
  let kept = [...others, [id, value] as const].slice(-most)
  while (kept.length > 0 && !write(key, kept)) kept = kept.slice(1)
  return kept.length > 0
}

function list<T>(key: string): readonly (readonly [string, T])[] {
  const kept = read(key)
  return Array.isArray(kept) ? kept : []
}

function read(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null')
  } catch {
    return null
  }
}

function write(key: string, value: unknown): boolean {
  try {
    localStorage.setItem(key, JSON.stringify(value))
    return true
  } catch {
    // No room, or not allowed: the page asks again next time.
    return false
  }
}
