import type { Body, Data } from '@voelgoed/client'
import { isCurrency } from '@voelgoed/core/prices/currency'
import type { PriceList } from '@voelgoed/core/prices/price-list'
import { keyFor, readAmount, readPercent, writeAmount } from './amounts.ts'

export type AdminPrices = Data<'GET /api/admin/events/:event/prices'>
type PricesBody = Body<'PUT /api/admin/events/:event/prices'>

/** A type of ticket, over all categories that have it. */
export interface TypeColumn {
  /** Empty until it is saved for the first time: then it is made of the name. */
  readonly key: string
  name: string
  note: string
}

export interface CategoryRow {
  readonly key: string
  /** Added here: its key is made of its name when it is saved. */
  readonly isNew: boolean
  name: string
  colour: string | null
  /** By column: what was typed. Empty: the category is not sold as this type. */
  amounts: string[]
}

export interface FeeRow {
  name: string
  amount: string
  per: 'ticket' | 'order'
}

/** A price list as it stands in its form: amounts are texts until they are numbers. */
export class PriceDraft {
  readonly before: AdminPrices
  currency = $state('')
  columns: TypeColumn[] = $state([])
  categories: CategoryRow[] = $state([])
  zones: Record<string, string> = $state({})
  fees: FeeRow[] = $state([])
  tax: { name: string; percent: string; included: boolean } | null = $state(null)
  admission: AdminPrices['admission'] = $state.raw({})
  /** Someone wanted to save it: what is still empty is marked from then on. */
  isTried = $state(false)

  constructor(before: AdminPrices, usualCurrency: string) {
    this.before = before
    this.currency = before.currency ?? usualCurrency
    const columns = columnsOf(before)
    this.columns = columns.map(({ key, name, note }) => ({ key, name, note }))
    this.categories = before.categories.map(({ key, name, colour, ticket_types }) => ({
      key,
      isNew: false,
      name,
      colour,
      amounts: columns.map(column => {
        const type = ticket_types.find(candidate => isSameColumn(columnOf(candidate), column))
        return type ? writeAmount(type.amount, this.currency) : ''
      }),
    }))
    this.zones = { ...before.zones }
    this.fees = before.fees.map(({ name, amount, per }) => ({
      name,
      amount: writeAmount(amount, this.currency),
      per,
    }))
    this.tax = before.tax && { ...before.tax, percent: String(before.tax.percent) }
    this.admission = before.admission
  }

  addColumn(name: string): void {
    this.columns.push({ key: '', name, note: '' })
    for (const category of this.categories) category.amounts.push('')
  }

  removeColumn(index: number): void {
    this.columns.splice(index, 1)
    for (const category of this.categories) category.amounts.splice(index, 1)
  }

  /** With a type to begin with: a category needs one. `zones`: which places get it. */
  addCategory(
    { key, name, colour }: { key?: string; name: string; colour: string | null },
    type: string,
    zones: readonly string[] = [],
  ): void {
    if (this.columns.length === 0) this.addColumn(type)
    const taken = new Set(this.categories.map(category => category.key))
    const amounts = this.columns.map(() => '')
    const made = { key: key ?? keyFor(name, taken), isNew: key === undefined, name, colour, amounts }
    this.categories.push(made)
    for (const zoneId of zones) this.zones[zoneId] = made.key
  }

  removeCategory(index: number): void {
    const [gone] = this.categories.splice(index, 1)
    for (const [zoneId, key] of Object.entries(this.zones)) {
      if (key === gone?.key) delete this.zones[zoneId]
    }
  }

  isFault(text: string): boolean {
    return text.trim() !== '' && readAmount(text, this.currency) === null
  }

  /** A text that has to be there, and is not, once someone wanted to save. */
  isMissing(text: string): boolean {
    return this.isTried && text.trim() === ''
  }

  /** The category is sold as no type: its first amount is marked. */
  isUnsold({ amounts }: CategoryRow): boolean {
    return this.isTried && amounts.every(text => text.trim() === '')
  }

  /** True if it can be sent: every text that must be a number is one, and everything has a name. */
  get isSound(): boolean {
    return (
      isCurrency(this.currency) &&
      this.columns.every(({ name }) => name.trim() !== '') &&
      this.categories.every(
        ({ name, amounts }) =>
          name.trim() !== '' &&
          amounts.some(text => text.trim() !== '') &&
          !amounts.some(text => this.isFault(text)),
      ) &&
      this.fees.every(
        ({ name, amount }) => name.trim() !== '' && readAmount(amount, this.currency) !== null,
      ) &&
      (this.tax === null || (this.tax.name.trim() !== '' && readPercent(this.tax.percent) !== null))
    )
  }

  /** As it would be sent; what is no number yet is left out. */
  get list(): PriceList {
    const keys = this.#keysOfColumns()
    const finals = this.#keysOfCategories()
    const amountOf = (text: string) => readAmount(text, this.currency)
    return {
      currency: this.currency,
      categories: this.categories.map(({ key, name, colour, amounts }) => ({
        key: finals.get(key)!,
        name: name.trim(),
        colour,
        ticket_types: this.columns.flatMap((column, index) => {
          const amount = amountOf(amounts[index] ?? '')
          if (amount === null) return []
          const note = column.note.trim()
          return [{ key: keys[index]!, name: column.name.trim(), amount, ...(note !== '' && { note }) }]
        }),
      })),
      zones: Object.fromEntries(
        Object.entries(this.zones).flatMap(([zoneId, key]) => {
          const final = finals.get(key)
          return final === undefined ? [] : [[zoneId, final]]
        }),
      ),
      fees: this.fees.map(({ name, amount, per }) => ({
        name: name.trim(),
        amount: amountOf(amount) ?? 0,
        per,
      })),
      tax: this.tax && {
        name: this.tax.name.trim(),
        percent: readPercent(this.tax.percent) ?? 0,
        included: this.tax.included,
      },
      admission: Object.fromEntries(
        Object.entries(this.admission).filter(([key]) =>
          this.categories.some(category => category.key === key),
        ),
      ),
    }
  }

  get body(): PricesBody {
    const { categories, admission, ...rest } = this.list
    return {
      ...rest,
      categories: categories.map(({ ticket_types, ...category }) => ({
        ...category,
        ticket_types: ticket_types.map(type => ({ ...type })),
      })),
      fees: rest.fees.map(fee => ({ ...fee })),
      admission: admission as PricesBody['admission'] & object,
    }
  }

  #keysOfCategories(): ReadonlyMap<string, string> {
    const taken = new Set(this.categories.flatMap(({ key, isNew }) => (isNew ? [] : [key])))
    return new Map(
      this.categories.map(({ key, isNew, name }) => {
        const final = isNew ? keyFor(name, taken) : key
        taken.add(final)
        return [key, final]
      }),
    )
  }

  #keysOfColumns(): string[] {
    const taken = new Set(this.columns.map(({ key }) => key).filter(key => key !== ''))
    return this.columns.map(({ key, name }) => {
      if (key !== '') return key
      const made = keyFor(name, taken)
      taken.add(made)
      return made
    })
  }
}

interface TypeLike {
  readonly key: string
  readonly name: string
  readonly note?: string
}

function columnOf({ key, name, note = '' }: TypeLike): Required<TypeLike> {
  return { key, name, note }
}

function isSameColumn(a: Required<TypeLike>, b: Required<TypeLike>): boolean {
  return a.key === b.key && a.name === b.name && a.note === b.note
}

/** Types that all categories call the same share a column; the same key under another name has its own. */
function columnsOf({ categories }: AdminPrices): Required<TypeLike>[] {
  const found: Required<TypeLike>[] = []
  for (const { ticket_types } of categories) {
    for (const type of ticket_types) {
      const column = columnOf(type)
      if (!found.some(known => isSameColumn(known, column))) found.push(column)
    }
  }
  return found
}
