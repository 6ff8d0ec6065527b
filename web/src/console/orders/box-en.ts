import type { Format } from '../../kit/words/format.ts'

/** Words of the box office on the map, and of moving tickets. */
export function boxEn(format: Format) {
  const n = format.number
  const many = (count: number, one: string, more: string) => `${n(count)} ${count === 1 ? one : more}`
  const places = (count: number) => many(count, 'place', 'places')
  const tickets = (count: number) => many(count, 'ticket', 'tickets')
  return {
    box: {
      title: 'Box office',
      hold: (count: number) => `Hold ${n(count)}…`,
      sell: (count: number) => `Sell ${n(count)}…`,
      tooMany: (count: number) => `Sell ${n(count)} at most at once.`,
      standing: 'Places without seats',
      left: (count: number) => `${n(count)} left`,
      howMany: (zone: string) => `How many in ${zone}`,
      holdPlaces: 'Hold…',
      sellPlaces: 'Sell…',
      best: 'Best available',
      quantity: 'Seats side by side',
      find: 'Find and hold',
      found: (seats: string) => `Held: ${seats}. Sell them, or release them.`,
      mine: 'Held at the box office',
      none: 'Nothing is held at the box office now.',
      show: 'Show on the map',
      showOf: (name: string) => `Show on the map: ${name}`,
      by: (who: string) => `by ${who}`,
      you: 'you',
      colleague: 'a colleague',
      sellGroup: 'Sell…',
      releaseGroup: 'Release',
      extendGroup: 'Extend',
      extended: 'Held for longer.',
      notExtended: 'These cannot be held any longer. Sell them, or block the seats with a reason.',
      released: 'Released.',
      holdAsk: (count: number) => `Hold ${places(count)} for the box office?`,
      holdNote: (minutes: number) =>
        `For ${n(minutes)} min, like any hold. To keep seats for longer, block them with a reason.`,
      note: 'Name or note',
      noteHint: 'Shown with the hold, and kept in the journal.',
      holdButton: (count: number) => `Hold ${places(count)}`,
      held: (count: number) => `${places(count)} held for the box office.`,
      sellAsk: (count: number) => `Sell ${tickets(count)}`,
      type: (label: string) => `Ticket type of ${label}`,
      noPrice: 'No price',
      total: 'Total',
      unpriced: 'Some of these places have no price. The order will show no total.',
      method: 'Paid by',
      name: 'Name',
      email: 'Email address',
      emailHint: 'The tickets are sent there.',
      emailKept: 'No mail server is configured, so no email is sent. Print the tickets.',
      optional: 'optional',
      sellButton: (total: string | null, count: number) =>
        total === null ? `Sell ${tickets(count)}` : `Sell for ${total}`,
      sold: (number: string) => `Sold: order ${number}`,
      soldNote: (count: number, total: string | null) =>
        total === null ? tickets(count) : `${tickets(count)}, ${total}`,
      mailed: (to: string) => `The tickets are on their way to ${to}.`,
      notMailed: 'No mail server is configured, so no email was sent. Print the tickets.',
      openOrder: 'Open the order',
      done: 'Done',
      stillHeld:
        'The places are held for you for a while. Correct the mistake and sell them, or release them.',
    },
    move: {
      title: (number: string) => `Move tickets of ${number}`,
      back: 'Back to the order',
      hint: 'Choose free seats of the same price on the map, one for each ticket.',
      tickets: 'Tickets',
      stays: (label: string) => `Move ${label}`,
      used: 'used at a gate, stays',
      choose: 'choose a seat',
      missing: (count: number) => `Choose ${many(count, 'more seat', 'more seats')}.`,
      button: (count: number) => `Move ${tickets(count)}`,
      ask: (count: number) => `Move ${tickets(count)}?`,
      to: (from: string, to: string) => `${from} → ${to}`,
      codes: 'New tickets',
      codesNote: 'Tickets that were printed or sent before no longer work at the gate.',
      free: 'The old seats are on sale again at once',
      mail: 'The buyer gets an email with the new seats',
      reason: 'Reason',
      reasonHint: 'Kept in the audit log.',
      done: (count: number) => `${tickets(count)} moved.`,
      notFree: 'This seat is not free.',
      nothing: 'No ticket of this order can be moved.',
      enough: 'Each ticket has its seat. Press a chosen seat to give it up.',
    },
  }
}

export type BoxWords = ReturnType<typeof boxEn>
