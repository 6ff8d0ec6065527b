import type { Data } from '@voelgoed/client'
import { ban, clock, creditCard, rotateCw, ticket, timer, undo } from '../kit/icons.ts'
import type { ConsoleWords } from '../kit/words/words.ts'

export type JournalEntry = Data<'GET /api/admin/events/:event/journal'>[number]

export interface StoryLine {
  readonly seq: number
  readonly at: string
  readonly icon: string
  readonly tone: 'held' | 'paying' | 'sold' | 'blocked' | 'quiet'
  readonly title: string
  /** From where, and why. */
  readonly note: string
  /** The reader goes on to this one. */
  readonly order: { readonly id: string; readonly text: string } | null
}

/** One entry of the journal as a sentence. */
export function storyLine(entry: JournalEntry, words: ConsoleWords['story']): StoryLine {
  const owner = entry.user_email ?? (entry.user_id ? words.guest : words.system)
  const actor = entry.actor_email ?? (entry.actor_id ? words.guest : words.system)
  // The note of the box office. What platforms put there means nothing to people.
  const note = entry.source === 'admin' ? textOf(entry.body.cartToken) : null
  const reason = textOf(entry.body.notes) ?? textOf(entry.body.reason) ?? note
  const isSold = entry.kind === 'seat_converted'
  const from = [
    isSold && entry.source === 'admin' && entry.actor_email && words.soldBy(entry.actor_email),
    words.sources[entry.source] ?? entry.source,
    shortAgent(entry.user_agent),
    entry.address,
    reason && `“${reason}”`,
  ]
  const lasted = entry.held_duration_seconds
  const after = lasted === null ? null : words.after(durationOf(lasted, words))
  const line = (icon: string, tone: StoryLine['tone'], title: string) => ({
    seq: entry.seq,
    at: entry.at,
    icon,
    tone,
    title,
    note: from.filter(Boolean).join(' · '),
    order: isSold || entry.kind === 'ticket_voided' ? linkOf(entry, words) : null,
  })
  switch (entry.kind) {
    case 'seat_reserved':
      return line(timer, 'held', words.seat_reserved(owner))
    case 'seat_hold_extended':
      return line(clock, 'held', words.seat_hold_extended)
    case 'payment_started':
      return line(creditCard, 'paying', words.payment_started)
    case 'payment_ended':
      return line(undo, 'held', words.payment_ended)
    case 'hold_reduced':
      return line(undo, 'quiet', words.hold_reduced)
    case 'hold_transferred':
      return line(rotateCw, 'held', words.hold_transferred(owner))
    case 'seat_hold_expired':
      return line(clock, 'quiet', [words.seat_hold_expired, after].filter(Boolean).join(' '))
    case 'seat_released':
      return line(undo, 'quiet', [words.seat_released(actor), after].filter(Boolean).join(' '))
    case 'seat_converted':
      return line(ticket, 'sold', words.seat_converted(buyerOf(entry) ?? words.noName))
    case 'ticket_voided':
      return line(undo, 'quiet', words.ticket_voided(actor))
    case 'seat_blocked':
      return line(ban, 'blocked', words.seat_blocked(actor))
    case 'seat_unblocked':
      return line(undo, 'quiet', words.seat_unblocked(actor))
    case 'companions_released':
      return line(undo, 'quiet', words.companions_released)
    default:
      return line(rotateCw, 'quiet', entry.kind === 'event_changed' ? words.event_changed : entry.kind)
  }
}

/** A seat was this at a moment, by its story up to then. */
export type SeatThen =
  | { readonly kind: 'free' | 'blocked' }
  | { readonly kind: 'held' | 'sold'; readonly who: string | null }

/** `entries`: all of one seat, in order. */
export function seatAt(entries: readonly JournalEntry[], moment: number): SeatThen {
  let then: SeatThen = { kind: 'free' }
  for (const entry of entries) {
    if (Date.parse(entry.at) > moment) break
    const who = entry.kind === 'seat_converted' ? buyerOf(entry) : entry.user_email
    switch (entry.kind) {
      case 'seat_reserved':
      case 'hold_transferred':
        then = { kind: 'held', who }
        break
      case 'seat_converted':
        then = { kind: 'sold', who }
        break
      case 'seat_blocked':
        then = { kind: 'blocked' }
        break
      case 'seat_hold_expired':
      case 'seat_released':
      case 'ticket_voided':
      case 'seat_unblocked':
        then = { kind: 'free' }
        break
    }
  }
  return then
}

/** The seat is the contact's of its order. The user of a sale at the box office is who sold it. */
function buyerOf({ order, source, user_email }: JournalEntry): string | null {
  const contact = order && (order.contact_name ?? order.contact_email)
  return contact ?? (source === 'admin' ? null : user_email)
}

function linkOf({ order }: JournalEntry, words: ConsoleWords['story']): StoryLine['order'] {
  return order && { id: order.order_id, text: words.order(order.order_number) }
}

function durationOf(seconds: number, words: ConsoleWords['story']): string {
  return seconds < 90 ? words.seconds(Math.round(seconds)) : words.minutes(Math.round(seconds / 60))
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null
}

/**
 * Names the browser and its system. An unknown part is left out: the address and the audit log have the rest.
 */
function shortAgent(agent: string | null): string | null {
  if (agent === null) return null
  const browser = /(Edg|Firefox|Chrome|Safari)\//.exec(agent)?.[1]
  const device = /(Android|iPhone|iPad|Windows|Mac OS X|Linux)/.exec(agent)?.[1]
  return browser ? [browser === 'Edg' ? 'Edge' : browser, device].filter(Boolean).join(', ') : null
}
