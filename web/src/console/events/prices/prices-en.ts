import type { Format } from '../../../kit/words/format.ts'
import type { PriceChange } from './price-changes.ts'

/** Words of an event's prices. */
export function pricesEn(format: Format) {
  const n = format.number
  const many = (count: number, one: string, more: string) => `${n(count)} ${count === 1 ? one : more}`
  return {
    prices: {
      title: 'Prices',
      about: (currency: string) =>
        `In ${currency}. A seat takes the category of its row in the layout, else of its zone.`,
      none: 'No prices yet: buyers can hold seats, and cannot pay for them here. Add the first category.',
      category: 'Category',
      type: 'Ticket type',
      quantity: 'Tickets',
      places: 'Places',
      soldOut: 'If sold out',
      addType: 'Ticket type',
      addCategory: 'Category',
      addOfLayout: (name: string) => `${name}, of the layout`,
      newCategory: (index: number) => `Category ${n(index)}`,
      adult: 'Adult',
      typeName: (index: number) => `Name of ticket type ${n(index)}`,
      typePlaceholder: 'Adult',
      typeNote: (type: string) => `Note of ${type}`,
      notePlaceholder: 'Note, like “up to 12”',
      removeType: (name: string) => `Remove the ticket type ${name}`,
      remove: 'Remove',
      removeCategory: (name: string) => `Remove the category ${name}`,
      colour: (name: string) => `Colour of ${name} on the map`,
      categoryName: (index: number) => `Name of category ${n(index)}`,
      amount: (category: string, type: string) => `${category}, ${type}`,
      noPlaces: 'No place has it: give it a zone',
      keys: 'Tab next · Ctrl D fill down · Ctrl S save',
      zones: 'Places without a category of their own',
      zonesNote: 'Their zone says what they cost',
      zoneOption: (name: string, places: number) => `${name}, ${many(places, 'place', 'places')}`,
      noPrice: 'No price',
      fees: 'Fees',
      addFee: 'Fee',
      bookingFee: 'Booking fee',
      feeName: 'Fee',
      feeAmount: 'Amount',
      feePer: 'For',
      per: { ticket: 'each ticket', order: 'the whole order' },
      removeFee: (name: string) => `Remove ${name}`,
      noFees: 'Buyers pay no fee.',
      feesNote: 'Each is a line of its own in the cart and on the order.',
      tax: 'Tax',
      addTax: 'Tax',
      noTax: 'No tax',
      vat: 'VAT',
      taxName: 'Tax',
      taxPercent: 'Per cent',
      taxWay: 'Amounts',
      included: 'include it',
      onTop: 'are without it',
      includedNote: 'The amounts above are what buyers pay. The order says how much of it is tax.',
      onTopNote: 'It is added to the sum of tickets and fees, rounded once for the whole cart.',
      noTaxNote: 'Orders name no tax.',
      currency: 'Currency',
      currencyHint: 'ISO code. Tickets that were sold keep theirs.',
      notCurrency: 'Write the code of a currency, like ZAR.',
      notAmount: 'Write an amount, like 15 or 15.50.',
      notPercent: 'From 0 to 100, with three decimals at most.',
      onMap: 'On the map',
      mapLabel: 'The hall in the colours of its prices',
      asBuyer: 'What a buyer pays',
      nothingPriced: 'As soon as a category has a price, the sum of a cart shows here.',
      total: 'Total',
      taxLine: (name: string, percent: number) => `${name} ${n(percent)} %`,
      taxWithin: (name: string, percent: number) => `of which ${name} ${n(percent)} %`,
      changes: 'What changes for buyers',
      kept: (sold: number) =>
        sold === 0
          ? 'Nothing is sold yet. Carts that are being paid for keep their price.'
          : `${many(sold, 'place that is sold keeps', 'places that are sold keep')} the price that was paid. Carts that are being paid for keep theirs.`,
      change: (change: PriceChange, money: (amount: number) => string) => {
        if (change.kind === 'amount') {
          const { category, type, before, after } = change
          if (before === null) return `${category}, ${type}: new, ${money(after!)}`
          if (after === null) return `${category}, ${type}: no longer sold`
          return `${category}, ${type}: ${money(before)} → ${money(after)}`
        }
        if (change.kind === 'zone') return `${change.name} has another category`
        if (change.kind === 'category') return `${change.name}: another name or colour`
        return { fee: 'Fees', tax: 'Tax', currency: `Currency ${change.name}` }[change.kind]
      },
      warnings: 'Not all of it can be paid for',
      noGateway:
        'This server takes no payments, so buyers cannot pay on the page. Sell at the box office or through a checkout of your own. The operator connects Stripe.',
      conflict: 'A colleague changed the prices meanwhile',
      conflictNote: 'Nothing of yours was saved. This is what they changed:',
      takeTheirs: 'Take theirs, drop mine',
      saveMine: 'Save mine over theirs',
      save: 'Save prices',
      saved: 'The prices are saved. Buyers see them from the next click.',
      savedDraft: 'The prices are saved. Publish the event when it is ready.',
      over: 'The event is over: its prices stay as they are.',
      readOnly: 'Your role may look at prices, and not change them.',
    },
  }
}

export type PriceWords = ReturnType<typeof pricesEn>
