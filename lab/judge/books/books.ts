/**
 * The books of a run at its end: what the gateway has in its own, and what the server has in its tables. All
 * of one moment. Amounts are whole minor units; times are milliseconds of the database's clock.
 */
export interface Books {
  readonly intents: readonly IntentRow[]
  readonly gatewayRefunds: readonly GatewayRefundRow[]
  /** Messages of the gateway as the server kept them. */
  readonly news: readonly NewsRow[]
  readonly orders: readonly OrderRow[]
  readonly payments: readonly PaymentRow[]
  readonly refunds: readonly RefundRow[]
  readonly lines: readonly LineRow[]
  readonly tickets: readonly TicketRow[]
  readonly moves: readonly MoveRow[]
  /** These holds were sold, or an order names them. */
  readonly holds: readonly SoldHoldRow[]
  readonly entries: readonly EntryRow[]
  readonly zones: readonly ZoneRow[]
}

/** The gateway keeps one of these for each order. */
export interface IntentRow {
  readonly id: string
  readonly order: string
  readonly amount: number
  readonly currency: string
  readonly status: 'declined' | 'needs_step' | 'pending' | 'captured'
  readonly refunded: number
}

interface GatewayRefundRow {
  readonly key: string
  readonly intent: string
  readonly amount: number
}

interface NewsRow {
  readonly id: string
  /** The gateway's own name for the message. */
  readonly message: string
  readonly state: 'waiting' | 'done' | 'given_up'
}

export interface OrderRow {
  readonly id: string
  readonly event: string
  readonly user: string
  readonly status: string
  readonly currency: string | null
  readonly total: number | null
  readonly reference: string | null
  /** A member of staff, or the key of a server; null: the buyer alone. */
  readonly soldBy: string | null
  /** The server's last step when the money came late. Null: it is no checkout, or the money was not late. */
  readonly lateStep: 'same_places' | 'other_places' | 'refund' | null
  readonly isCheckout: boolean
  readonly holds: readonly string[]
}

export interface PaymentRow {
  readonly id: string
  readonly order: string
  readonly method: string
  readonly status: string
  readonly amount: number | null
  readonly refunded: number
  readonly intent: string | null
  readonly recordedBy: string | null
}

export interface RefundRow {
  readonly id: string
  readonly order: string
  readonly amount: number | null
  readonly status: string
  /** Null: no money went through a gateway. */
  readonly key: string | null
  /** Staff gave the money back themselves, after the gateway did not. */
  readonly byHand: boolean
  /** So much more than its tickets cost, or less: staff chose the amount. */
  readonly byChoice: number
}

export interface LineRow {
  readonly order: string
  readonly ticket: string
  readonly amount: number | null
  readonly refund: string | null
}

export interface TicketRow {
  readonly id: string
  readonly event: string
  readonly user: string
  readonly hold: string
  readonly order: string
  readonly ordinal: number | null
  readonly zone: number
  readonly issuedAt: number
  readonly voidedAt: number | null
}

/** A ticket that staff moved to another seat: the line of its order goes on with the other one. */
interface MoveRow {
  readonly order: string
  readonly from: string
  readonly to: string
  /** When staff began to move it. */
  readonly at: number
}

interface SoldHoldRow {
  readonly id: string
  readonly event: string
  readonly user: string
  readonly ordinal: number | null
  readonly zone: number | null
  readonly quantity: number
  readonly status: string
  readonly heldUntil: number
  readonly endedAt: number
}

export interface EntryRow {
  readonly id: string
  readonly ticket: string
  readonly day: string
  readonly direction: 'in' | 'out'
  readonly at: number
  readonly recordedAt: number
  readonly perDay: number
  readonly reentry: boolean
  readonly device: string
  readonly scan: string | null
  /** This entry should not have been, and the server noted why. Null: it was right. */
  readonly conflict: string | null
}

interface ZoneRow {
  readonly event: string
  readonly zone: number
  readonly capacity: number
}

/** A caller asked this and heard that. Times are milliseconds of the lab's own clock. */
export interface Heard {
  readonly kind:
    | 'hold'
    | 'open'
    | 'pay'
    | 'read'
    | 'cancel'
    | 'replace'
    | 'step'
    | 'order'
    | 'refund'
    | 'move'
    | 'external'
    | 'scan'
    | 'upload'
  readonly node: number
  readonly user: string
  readonly event: string
  readonly from: number
  readonly to: number
  /** As in any history: it has happened, it has not, or that is not known. */
  readonly outcome: 'ok' | 'refused' | 'unknown'
  readonly status: number
  readonly code?: string
  /** The id of the checkout, or of the order: they are the same. */
  readonly order?: string
  /** The answer shows the order in this status. */
  readonly orderStatus?: string
  readonly card?: Card
  /** A buyer who pays had seen that it costs this. */
  readonly total?: number
  /** A checkout was to take the place of this order. */
  readonly replaces?: string
  readonly isDeclined?: true
  /** The buyer said this in the second step of a payment. */
  readonly step?: 'accept' | 'decline'
  /** Asked for, or shown. */
  readonly tickets?: readonly string[]
  readonly reference?: string
  /** Asked for: which ticket to which seat. */
  readonly moves?: readonly HeardMove[]
  readonly scans?: readonly HeardScan[]
  /** After the last request, when nothing was left to do. */
  readonly isAfterQuiet?: true
}

interface HeardMove {
  readonly ticket: string
  readonly ordinal: number
}

export interface HeardScan {
  readonly ticket: string
  readonly device: string
  readonly scan: string
  readonly result: 'admitted' | 'refused'
  readonly code: string | null
  readonly entry: string | null
}

/** The test card makes the gateway do this. */
export type Card = 'good' | 'declined' | 'no_money' | 'step' | 'late' | 'disputed'

/** The gateway takes no money with these, however often a buyer shows them. */
export const CARDS_WITHOUT_MONEY: readonly Card[] = ['declined', 'no_money']
