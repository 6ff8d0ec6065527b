import type { Format } from '../../../kit/words/format.ts'

/** An event says these while no seat of it can be taken. Few visits load them. */
export function stateWordsEn(format: Format) {
  const n = format.number
  return {
    opensByItself: 'This page opens the sale by itself.',
    remindMe: 'Put it in my calendar',
    closedByStart: 'Selling here ended when the event began:',
    closedAt: 'Selling here ended on',
    atTheDoor: (venue: string) => `Ask at ${venue} whether there are seats at the door.`,
    carts: 'Every seat is in someone’s cart',
    cartsExplain: (held: number, minutes: number) =>
      `Not sold yet: ${n(held)} ${held === 1 ? 'place is' : 'places are'} in carts. Some may come back within ${n(minutes)} ${minutes === 1 ? 'minute' : 'minutes'}. Stay here: they show up at once.`,
    sold: 'Sold out',
    soldExplain: 'If tickets are given back, they show up here at once.',
    wasOn: (event: string, day: string) => `${event} was on ${day}`,
  }
}

export type StateWords = ReturnType<typeof stateWordsEn>
