import type { Data } from '@voelgoed/client'
import type { Direction, LastEntry, ScanCode } from '@voelgoed/core/entry/scan'

type Answer = Data<'POST /api/scans'>

/** A gate shows this of a ticket. */
export interface ShownTicket {
  readonly zoneName: string
  readonly row: string | null
  readonly seatNumber: number | string | null
  readonly ticketType: string | null
  readonly attendee: string | null
  readonly flags: readonly ('wheelchair' | 'companion_reserved')[]
}

/** The device can not decide by itself, for one of these reasons. */
export type NoDecision =
  /** It never got the list of this event. */
  | 'no_list'
  /** Its browser can not verify signatures. */
  | 'no_ed25519'
  /** As many scans wait as it keeps. */
  | 'no_room'
  /** Its storage is full, or does not answer. */
  | 'device_failed'
  /** The account may not scan. */
  | 'forbidden'

export type Verdict = {
  readonly direction: Direction
  /** By the server's clock. */
  readonly at: number
  readonly ticket: ShownTicket | null
  /** Decided by the device. */
  readonly isOffline: boolean
} & (
  | {
      readonly kind: 'admitted'
      readonly entriesToday: number
      readonly live: { readonly inside: number; readonly capacity: number } | null
      /** The person at the gate has to look at this. */
      readonly look: 'member' | 'not_listed' | null
    }
  | {
      readonly kind: 'refused'
      readonly code: ScanCode
      readonly entered: LastEntry | null
      readonly validDays: readonly string[]
      readonly live: { readonly inside: number; readonly capacity: number } | null
    }
  | { readonly kind: 'undecided'; readonly why: NoDecision }
)

export type Tone = 'good' | 'look' | 'bad'

export function toneOf(verdict: Verdict): Tone {
  if (verdict.kind === 'refused') return 'bad'
  return verdict.kind === 'undecided' || verdict.look !== null ? 'look' : 'good'
}

/** Turns the server's answer into a verdict. */
export function verdictOf(answer: Answer, at: number): Verdict {
  const { ticket, live, entered } = answer
  const common = {
    direction: answer.direction,
    at,
    isOffline: false,
    ticket: ticket && {
      zoneName: ticket.zone_name,
      row: ticket.row,
      seatNumber: ticket.seat_number,
      ticketType: ticket.ticket_type_name ?? ticket.ticket_type,
      attendee: ticket.attendee,
      flags: ticket.flags,
    },
    live: live && { inside: live.inside, capacity: live.capacity },
  }
  if (answer.code === null) {
    return { ...common, kind: 'admitted', entriesToday: answer.entries_today, look: null }
  }
  return {
    ...common,
    kind: 'refused',
    code: answer.code,
    entered: entered && { at: Date.parse(entered.at), gate: entered.gate },
    validDays: answer.valid_days ?? [],
  }
}
