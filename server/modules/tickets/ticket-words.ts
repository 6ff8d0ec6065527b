/** Languages that tickets are printed in, with the locale for their dates. */
export const TICKET_LOCALES = { en: 'en-ZA', af: 'af-ZA' } as const
export type TicketLanguage = keyof typeof TICKET_LOCALES

/** The language of an organization or a reader, as far as tickets speak it. */
export function ticketLanguage(locale: string): TicketLanguage {
  return locale.toLowerCase().split('-')[0] === 'af' ? 'af' : 'en'
}

interface Words {
  readonly title: string
  readonly zone: string
  readonly row: string
  readonly seat: string
  readonly type: string
  readonly attendee: string
  readonly order: string
  readonly noDate: string
  readonly doors: (time: string) => string
  readonly saleOpens: (event: string) => string
  readonly howToUse: string
  readonly ticketOf: (number: number, of: number) => string
  readonly moreDays: (count: number) => string
}

export const TICKET_WORDS: Readonly<Record<TicketLanguage, Words>> = {
  en: {
    title: 'Tickets',
    zone: 'Section',
    row: 'Row',
    seat: 'Seat',
    type: 'Ticket',
    attendee: 'Name',
    order: 'Order',
    noDate: 'The date will be announced.',
    doors: time => `Doors open at ${time}`,
    saleOpens: event => `Tickets on sale: ${event}`,
    howToUse:
      'Show this code at the gate, on paper or on a screen. Do not share it: the first person who shows it is let in.',
    ticketOf: (number, of) => `Ticket ${number} of ${of}`,
    moreDays: count => `and ${count} more days`,
  },
  af: {
    title: 'Kaartjies',
    zone: 'Afdeling',
    row: 'Ry',
    seat: 'Sitplek',
    type: 'Kaartjie',
    attendee: 'Naam',
    order: 'Bestelling',
    noDate: 'Die datum word nog aangekondig.',
    doors: time => `Deure open om ${time}`,
    saleOpens: event => `Kaartjies te koop: ${event}`,
    howToUse:
      'Wys hierdie kode by die hek, op papier of op ’n skerm. Moenie dit deel nie: wie dit eerste wys, word ingelaat.',
    ticketOf: (number, of) => `Kaartjie ${number} van ${of}`,
    moreDays: count => `en nog ${count} dae`,
  },
}
