/*
 * Judges if an event is ready for buyers: everything that an organizer should know before it is published, as
 * it is at that moment.
 */

export const READINESS_CHECKS = [
  'date',
  'end',
  'sales_open',
  'sales_close',
  'prices',
  'payments',
  'mail',
  'contact',
  'time_zone',
  'layout',
] as const
type ReadinessCheck = (typeof READINESS_CHECKS)[number]

/** `stops`: it has to be mended first; `warns`: it may stay as it is. */
export const READINESS_STATES = ['right', 'warns', 'stops'] as const

export const READINESS_REASONS = [
  'no_date',
  'in_past',
  'no_end',
  'opens_after_close',
  'closed',
  'no_prices',
  'unpriced',
  'not_payable',
  'no_gateway',
  'simulated',
  'no_mail_server',
  'no_contact',
  'utc',
  'not_sellable',
] as const

interface CheckedPoint {
  readonly check: ReadinessCheck
  readonly state: (typeof READINESS_STATES)[number]
  /** Null: it is right. */
  readonly reason: (typeof READINESS_REASONS)[number] | null
  /** In milliseconds: the start, the end, the opening or the close of sales. */
  readonly at: number | null
  /** Places that are for sale; of prices, those without one. */
  readonly places: number | null
  /** Their zones, by name. */
  readonly zones: readonly string[]
  /** The gateway, the address, the time zone, or what is wrong in words. */
  readonly text: string | null
}

/** Times in milliseconds. */
export interface ReadinessFacts {
  readonly now: number
  readonly startsAt: number | null
  /** When the last of its days begins; null: it has no date. */
  readonly lastStart: number | null
  readonly endsAt: number | null
  readonly saleStart: number | null
  /** As the event says itself. */
  readonly saleEnd: number | null
  /** Those in zones that are open. */
  readonly places: number
  readonly prices: {
    readonly isThere: boolean
    readonly unpriced: { readonly places: number; readonly zones: readonly string[] }
    /** Says what else is wrong with the list; null: nothing. */
    readonly fault: string | null
  }
  readonly gateway: string | null
  readonly sendsMails: boolean
  readonly contact: string | null
  readonly timeZone: string
  /** Says why the server refuses to sell this layout; null: it does not. */
  readonly layoutFault: string | null
}

/** All points, in the order in which people set an event up. */
export function readinessOf(facts: ReadinessFacts): readonly CheckedPoint[] {
  const { gateway, contact, timeZone, places } = facts
  return [
    dateOf(facts),
    endOf(facts),
    ...salesOf(facts),
    pricesOf(facts),
    gateway === null
      ? warns('payments', 'no_gateway')
      : gateway === 'simulator'
        ? warns('payments', 'simulated')
        : right('payments', { text: gateway }),
    facts.sendsMails ? right('mail') : warns('mail', 'no_mail_server'),
    contact === null ? warns('contact', 'no_contact') : right('contact', { text: contact }),
    timeZone === 'UTC'
      ? warns('time_zone', 'utc', { text: timeZone })
      : right('time_zone', { text: timeZone }),
    facts.layoutFault === null
      ? right('layout', { places })
      : stops('layout', 'not_sellable', { text: facts.layoutFault }),
  ]
}

function dateOf({ startsAt, lastStart, now }: ReadinessFacts): CheckedPoint {
  if (lastStart === null) return stops('date', 'no_date')
  const at = startsAt ?? lastStart
  return lastStart <= now ? stops('date', 'in_past', { at }) : right('date', { at })
}

function endOf({ endsAt }: ReadinessFacts): CheckedPoint {
  return endsAt === null ? warns('end', 'no_end') : right('end', { at: endsAt })
}

/** Sales without an end of their own close with the start: that has been said of the date already. */
function salesOf({ saleStart, saleEnd, lastStart, now }: ReadinessFacts): CheckedPoint[] {
  const closes = saleEnd ?? lastStart
  const isNever = saleStart !== null && closes !== null && saleStart >= closes
  const opens = isNever
    ? stops('sales_open', 'opens_after_close', { at: saleStart })
    : right('sales_open', { at: saleStart })
  if (closes === null || (saleEnd === null && closes <= now)) return [opens]
  const at = { at: closes }
  return [opens, closes <= now ? stops('sales_close', 'closed', at) : right('sales_close', at)]
}

function pricesOf({ prices: { isThere, unpriced, fault } }: ReadinessFacts): CheckedPoint {
  if (!isThere) return warns('prices', 'no_prices')
  if (unpriced.places > 0) return warns('prices', 'unpriced', unpriced)
  return fault === null ? right('prices') : warns('prices', 'not_payable', { text: fault })
}

type More = Partial<Pick<CheckedPoint, 'at' | 'places' | 'zones' | 'text'>>

const NOTHING = { reason: null, at: null, places: null, zones: [], text: null } as const

function right(check: ReadinessCheck, more: More = {}): CheckedPoint {
  return { check, state: 'right', ...NOTHING, ...more }
}

function warns(
  check: ReadinessCheck,
  reason: NonNullable<CheckedPoint['reason']>,
  more: More = {},
): CheckedPoint {
  return { check, state: 'warns', ...NOTHING, reason, ...more }
}

function stops(
  check: ReadinessCheck,
  reason: NonNullable<CheckedPoint['reason']>,
  more: More = {},
): CheckedPoint {
  return { check, state: 'stops', ...NOTHING, reason, ...more }
}
