import { checkText, quoted, type TextFault } from '../layout/check-text.ts'
import { FaultList } from '../layout/faults.ts'
import type { LayoutFault } from '../layout/model.ts'
import { ok, type Result, refuse } from '../result.ts'
import { isCurrency } from './currency.ts'
import {
  type Admission,
  type Category,
  FEE_BASES,
  type Fee,
  PRICE_LIMITS,
  type PriceList,
  type Tax,
  type TicketType,
} from './price-list.ts'

/** A price list as people write it. */
export interface PriceListConfig {
  readonly currency: string
  readonly categories: readonly (Omit<Category, 'colour'> & { readonly colour?: string | null })[]
  readonly zones?: Readonly<Record<string, string>>
  readonly fees?: readonly Fee[]
  readonly tax?: Tax | null
  readonly admission?: Readonly<Record<string, Admission>>
}

/** A price list is held against this. */
export interface EventToPrice {
  /** Every zone of the layout, with what the event's overlay says of it. */
  readonly zones: readonly { readonly zoneId: string; readonly pricingRuleId: string | null }[]
  /** Keys of the layout's price categories. */
  readonly layoutCategories: readonly string[]
  /** Days of the event, like 2027-03-01. None: it has not said yet. */
  readonly days: readonly string[]
}

type PriceFaultCode =
  | TextFault
  | 'currency_unknown'
  | 'too_many_categories'
  | 'too_many_ticket_types'
  | 'too_many_zones'
  | 'too_many_fees'
  | 'too_many_days'
  | 'no_ticket_types'
  | 'no_days'
  | 'duplicate_category'
  | 'duplicate_ticket_type'
  | 'duplicate_fee'
  | 'duplicate_zone'
  | 'duplicate_day'
  | 'colour_invalid'
  | 'amount_not_whole'
  | 'amount_negative'
  | 'amount_too_large'
  | 'fee_basis_unknown'
  | 'percent_out_of_range'
  | 'percent_too_fine'
  | 'category_not_used'
  | 'unknown_category'
  | 'unknown_zone'
  | 'unknown_day'
  | 'entries_out_of_range'

type Faults = FaultList<PriceFaultCode>

/** The price list as it is kept, or every fault of it at once. Paths are JSON pointers into what was sent. */
export function checkPrices(
  config: PriceListConfig,
  event: EventToPrice,
): Result<PriceList, readonly LayoutFault[]> {
  const faults: Faults = new FaultList()
  const { currency, categories, fees = [], tax = null, admission = {} } = config
  const zones = Object.entries(config.zones ?? {}).map(([id, key]) => [id.toLowerCase(), key] as const)
  if (!isCurrency(currency)) {
    faults.add('/currency', 'currency_unknown', 'Use the ISO 4217 code of a currency, like ZAR.')
  }
  checkCategories(faults, categories)
  checkZones(faults, config, event)
  checkUse(faults, config, event)
  checkFees(faults, fees)
  if (tax) checkTax(faults, tax)
  checkAdmission(faults, config, event)
  if (faults.count > 0) return refuse(faults.list())
  return ok({
    currency,
    categories: categories.map(({ key, name, colour, ticket_types }) => ({
      key,
      name,
      colour: colour?.toLowerCase() ?? null,
      ticket_types,
    })),
    zones: Object.fromEntries(zones),
    fees,
    tax,
    admission,
  })
}

function checkCategories(faults: Faults, categories: PriceListConfig['categories']): void {
  atMost(faults, '/categories', 'too_many_categories', categories.length, PRICE_LIMITS.categories)
  const first = new Map<string, number>()
  categories.forEach(({ key, name, colour, ticket_types }, index) => {
    const path = `/categories/${index}`
    checkText(faults, `${path}/key`, key, PRICE_LIMITS.keyLength)
    checkText(faults, `${path}/name`, name, PRICE_LIMITS.nameLength)
    if (colour != null && !/^#[0-9a-f]{6}$/i.test(colour)) {
      faults.add(
        `${path}/colour`,
        'colour_invalid',
        'Write a colour as # and six hexadecimal digits, like #7b3fa0.',
      )
    }
    once(faults, first, key, index, { path: `${path}/key`, code: 'duplicate_category', in: '/categories' })
    checkTicketTypes(faults, `${path}/ticket_types`, ticket_types)
  })
}

function checkTicketTypes(faults: Faults, path: string, types: readonly TicketType[]): void {
  if (types.length === 0) {
    faults.add(path, 'no_ticket_types', 'A category needs at least one type of ticket. 0 is a price.')
  }
  atMost(faults, path, 'too_many_ticket_types', types.length, PRICE_LIMITS.ticketTypes)
  const first = new Map<string, number>()
  types.forEach(({ key, name, amount, note }, index) => {
    const at = `${path}/${index}`
    checkText(faults, `${at}/key`, key, PRICE_LIMITS.keyLength)
    checkText(faults, `${at}/name`, name, PRICE_LIMITS.nameLength)
    if (note !== undefined) checkText(faults, `${at}/note`, note, PRICE_LIMITS.noteLength)
    checkAmount(faults, `${at}/amount`, amount)
    once(faults, first, key, index, { path: `${at}/key`, code: 'duplicate_ticket_type', in: path })
  })
}

function checkZones(faults: Faults, { zones = {}, categories }: PriceListConfig, event: EventToPrice): void {
  const entries = Object.entries(zones)
  atMost(faults, '/zones', 'too_many_zones', entries.length, PRICE_LIMITS.zones)
  const known = new Set(event.zones.map(({ zoneId }) => zoneId))
  const keys = new Set(categories.map(({ key }) => key))
  const seen = new Set<string>()
  for (const [id, key] of entries) {
    const path = `/zones/${pointer(id)}`
    const zoneId = id.toLowerCase()
    if (!known.has(zoneId)) {
      faults.add(path, 'unknown_zone', "The event's layout version has no zone with this id.")
    }
    if (seen.has(zoneId)) {
      faults.add(path, 'duplicate_zone', 'This zone is in the list already, in other letters: remove one.')
    }
    seen.add(zoneId)
    if (!keys.has(key)) {
      faults.add(path, 'unknown_category', `The list has no category ${quoted(key)}: add it, or use another.`)
    }
  }
}

/** A category that no place can have is a slip of the pen: its places would be sold at another price. */
function checkUse(faults: Faults, { zones = {}, categories }: PriceListConfig, event: EventToPrice): void {
  const used = new Set([
    ...Object.values(zones),
    ...event.layoutCategories,
    ...event.zones.map(({ pricingRuleId }) => pricingRuleId),
  ])
  categories.forEach(({ key }, index) => {
    if (used.has(key)) return
    const message =
      'The layout has no price category with this key, and no zone is given it: add a zone to zones, or correct the key.'
    faults.add(`/categories/${index}/key`, 'category_not_used', message)
  })
}

function checkFees(faults: Faults, fees: readonly Fee[]): void {
  atMost(faults, '/fees', 'too_many_fees', fees.length, PRICE_LIMITS.fees)
  const first = new Map<string, number>()
  fees.forEach(({ name, amount, per }, index) => {
    const path = `/fees/${index}`
    checkText(faults, `${path}/name`, name, PRICE_LIMITS.nameLength)
    checkAmount(faults, `${path}/amount`, amount)
    if (!FEE_BASES.includes(per)) {
      faults.add(`${path}/per`, 'fee_basis_unknown', `Use one of ${FEE_BASES.join(', ')}.`)
    }
    once(faults, first, name, index, { path: `${path}/name`, code: 'duplicate_fee', in: '/fees' })
  })
}

function checkTax(faults: Faults, { name, percent }: Tax): void {
  checkText(faults, '/tax/name', name, PRICE_LIMITS.nameLength)
  if (!(percent >= 0 && percent <= 100)) {
    faults.add('/tax/percent', 'percent_out_of_range', 'A tax is from 0 to 100 per cent.')
  } else if (Number(percent.toFixed(3)) !== percent) {
    faults.add('/tax/percent', 'percent_too_fine', 'Use at most three decimals.')
  }
}

function checkAdmission(
  faults: Faults,
  { admission = {}, categories }: PriceListConfig,
  event: EventToPrice,
): void {
  const keys = new Set(categories.map(({ key }) => key))
  const entries = Object.entries(admission)
  atMost(faults, '/admission', 'too_many_categories', entries.length, PRICE_LIMITS.categories)
  for (const [key, { days, entries_per_day }] of entries) {
    const path = `/admission/${pointer(key)}`
    if (!keys.has(key)) {
      faults.add(path, 'unknown_category', `The list has no category ${quoted(key)}: add it, or remove this.`)
    }
    const { entriesPerDay } = PRICE_LIMITS
    if (!Number.isInteger(entries_per_day) || entries_per_day < 1 || entries_per_day > entriesPerDay) {
      const message = `Let a ticket open the gate 1 to ${entriesPerDay} times a day.`
      faults.add(`${path}/entries_per_day`, 'entries_out_of_range', message)
    }
    if (days !== 'all') checkDays(faults, `${path}/days`, days, event.days)
  }
}

function checkDays(faults: Faults, path: string, days: readonly string[], known: readonly string[]): void {
  if (days.length === 0) faults.add(path, 'no_days', 'Name at least one day, or say all.')
  atMost(faults, path, 'too_many_days', days.length, PRICE_LIMITS.days)
  const first = new Map<string, number>()
  days.forEach((day, index) => {
    const at = `${path}/${index}`
    if (known.length > 0 && !known.includes(day)) {
      faults.add(at, 'unknown_day', `${quoted(day)} is no day of the event.`)
    }
    once(faults, first, day, index, { path: at, code: 'duplicate_day', in: path })
  })
}

function checkAmount(faults: Faults, path: string, amount: number): void {
  if (!Number.isInteger(amount)) {
    faults.add(path, 'amount_not_whole', 'Write amounts in minor units, as a whole number: R800 is 80000.')
  } else if (amount < 0) {
    faults.add(path, 'amount_negative', 'An amount is 0 or more.')
  } else if (amount > PRICE_LIMITS.amount) {
    faults.add(path, 'amount_too_large', `An amount is at most ${PRICE_LIMITS.amount}.`)
  }
}

function atMost(faults: Faults, path: string, code: PriceFaultCode, count: number, limit: number): void {
  if (count > limit) faults.add(path, code, `Use at most ${limit}; there are ${count}.`)
}

function once(
  faults: Faults,
  first: Map<string, number>,
  key: string,
  index: number,
  { path, code, in: list }: { readonly path: string; readonly code: PriceFaultCode; readonly in: string },
): void {
  const earlier = first.get(key)
  if (earlier === undefined) first.set(key, index)
  else faults.add(path, code, `${list}/${earlier} has the same: give this another, or remove one.`)
}

/** A member's name in a JSON pointer. */
function pointer(name: string): string {
  return quoted(name).replaceAll('~', '~0').replaceAll('/', '~1')
}
