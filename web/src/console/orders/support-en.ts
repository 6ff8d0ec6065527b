import type { Format } from '../../kit/words/format.ts'

/** Words of finding an order and mending it. */
export function supportEn(format: Format) {
  const n = format.number
  const many = (count: number, one: string, more: string) => `${n(count)} ${count === 1 ? one : more}`
  const tickets = (count: number) => many(count, 'ticket', 'tickets')
  return {
    support: {
      notYet: 'None of the newest orders match. Look further back, or add a word.',
      edit: 'Edit',
      editTitle: 'Name and address',
      name: 'Name',
      email: 'Email address',
      phone: 'Telephone',
      phoneHint: 'Digits, spaces and + ( ) - only.',
      was: (address: string) => `It was ${address}. All later mails go to the new address.`,
      send: 'Send the tickets there. The old link stops working.',
      kept: 'The change is kept in the history, with your name.',
      save: 'Save',
      saveAndSend: (count: number) => `Save and send ${tickets(count)}`,
      saved: 'The name and address are changed.',
      savedAndSent: (to: string) => `The tickets are on their way to ${to}.`,
      notes: 'Notes, for staff only',
      addNote: 'Add a note',
      addNoteButton: 'Add',
      noNotes: 'Buyers never see a note.',
      history: {
        sold: (amount: string) => `Sold for ${amount}`.trim(),
        soldPlain: 'Sold',
        moved: (from: string, to: string) => `Moved ${from} → ${to}`,
        contact: 'Contact changed',
        contactOf: (name: string, from: string, to: string) => `${name} ${from} → ${to}`,
        none: 'none',
        byBuyer: 'by the buyer',
        by: (who: string) => `by ${who}`,
        reissued: (count: number) => `${tickets(count)} issued again`,
        retried: 'Refund tried again',
        givenBack: 'Given back by hand',
      },
      money: {
        title: 'Give money back',
        amount: 'Amount',
        ofAll: (amount: string) => `At most ${amount}.`,
        all: 'All',
        half: 'Half',
        nothing: 'Nothing',
        voids: (count: number): string =>
          count === 1 ? 'The ticket is void, its seat on sale' : 'The tickets are void, their seats on sale',
        keeps: (count: number): string => (count === 1 ? 'The ticket stays valid' : 'The tickets stay valid'),
        staysValid: (count: number): string =>
          count === 1
            ? 'The ticket stays valid, and its seat sold.'
            : 'The tickets stay valid, and their seats sold.',
        wrong: 'Enter an amount, like 275.00.',
        tooHigh: (amount: string) => `That is too much. At most ${amount} can go back.`,
        tooLow: 'Enter an amount above zero, or make the tickets void.',
        button: (amount: string) => `Give back ${amount}`,
        given: (amount: string) => `${amount} goes back to the buyer.`,
        keptMoney: (amount: string) => `${amount} is kept.`,
        takeBack: (count: number) => `Take back ${tickets(count)}`,
        takeBackAsk: (count: number) => `Take back ${tickets(count)}?`,
        takenFree: 'No money goes back: the tickets cost nothing.',
      },
    },
  }
}

export type SupportWords = ReturnType<typeof supportEn>
