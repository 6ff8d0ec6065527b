import type { MailLanguage } from './language.ts'

/** Every word of the mails. Names and amounts come in as they are to be read. */
export interface MailWords {
  greeting(name: string | null): string
  footer(organization: string): string
  readonly order: string
  readonly event: string
  readonly when: string
  readonly where: string
  readonly total: string
  readonly refund: string
  ticket(number: number): string
  place(zone: string, seat: { row: string; number: string } | null): string
  readonly openOrder: string
  readonly paid: {
    subject(event: string): string
    intro(event: string, tickets: number): string
    readonly keep: string
  }
  readonly moved: {
    subject(event: string): string
    intro(event: string): string
    readonly older: string
  }
  readonly refunded: {
    subject(event: string): string
    readonly cause: Readonly<
      Record<'late_money' | 'staff' | 'goodwill' | 'event_cancelled', (event: string) => string>
    >
    money(amount: string): string
    readonly noAmount: string
  }
  readonly passwordReset: {
    subject(organization: string): string
    readonly intro: string
    readonly link: string
    readonly limit: string
    readonly notYou: string
  }
  readonly invitation: {
    subject(organization: string): string
    intro(organization: string): string
    readonly link: string
    readonly limit: string
    readonly notYou: string
  }
  readonly addressConfirmation: {
    subject(organization: string): string
    readonly intro: Readonly<
      Record<'address_confirmation' | 'membership_confirmation', (organization: string) => string>
    >
    readonly link: string
    readonly limit: string
    readonly notYou: string
  }
  readonly passwordChanged: {
    subject(organization: string): string
    readonly intro: string
    readonly notYou: string
  }
}

const en: MailWords = {
  greeting: name => (name === null ? 'Hello,' : `Hello ${name},`),
  footer: organization => `${organization} sent you this email about your order or your account.`,
  order: 'Order',
  event: 'Event',
  when: 'When',
  where: 'Where',
  total: 'Total',
  refund: 'Refund',
  ticket: number => `Ticket ${number}`,
  place: (zone, seat) => (seat ? `${zone}, row ${seat.row}, seat ${seat.number}` : zone),
  openOrder: 'Open your order',
  paid: {
    subject: event => `Your tickets for ${event}`,
    intro: (event, tickets) =>
      tickets === 1 ? `Here is your ticket for ${event}.` : `Here are your ${tickets} tickets for ${event}.`,
    keep: 'Anyone who has this link can open the order. Keep it to yourself.',
  },
  moved: {
    subject: event => `Your new seats for ${event}`,
    intro: event => `Your seats for ${event} have changed. This is where you sit now.`,
    older: 'Tickets for your old seats no longer work. Open your order to see or print the new ones.',
  },
  refunded: {
    subject: event => `Refund for ${event}`,
    cause: {
      late_money: event =>
        `Your payment for ${event} arrived after your seats had been released, so we could not give you tickets.`,
      staff: event => `Tickets of your order for ${event} were refunded. They are no longer valid.`,
      goodwill: event => `You get money back of your order for ${event}. Your tickets stay as they are.`,
      event_cancelled: event => `${event} has been cancelled. Your tickets are no longer valid.`,
    },
    money: amount => `${amount} is being paid back the way you paid.`,
    noAmount: 'The seller pays you back the way you paid.',
  },
  passwordReset: {
    subject: organization => `Choose a new password for ${organization}`,
    intro: 'You asked for a new password.',
    link: 'Choose a new password',
    limit: 'The link works once, for one hour.',
    notYou: 'If you did not ask for it, ignore this email. Your password stays as it is.',
  },
  invitation: {
    subject: organization => `Your account at ${organization}`,
    intro: organization => `${organization} has made an account for you. Choose a password to use it.`,
    link: 'Choose a password',
    limit: 'The link works once, for seven days.',
    notYou:
      'If you do not know why you got this email, ignore it. The account cannot be used until a password is chosen.',
  },
  addressConfirmation: {
    subject: organization => `Confirm your email address for ${organization}`,
    intro: {
      address_confirmation: organization =>
        `There is an account at ${organization} with this address. Confirm that it is yours: places for members and for invited people open to confirmed addresses.`,
      membership_confirmation: organization =>
        `${organization} has given a membership to the account with this address. It counts once you confirm that the account is yours.`,
    },
    link: 'Confirm this address',
    limit: 'The link works once, for seven days.',
    notYou:
      'If you did not make this account, do not confirm it. Open the link and choose a password: then the account is yours alone. Or ignore this email.',
  },
  passwordChanged: {
    subject: organization => `Your password for ${organization} was changed`,
    intro: 'Your password was changed, and you were signed out everywhere else.',
    notYou: 'If it was not you, choose a new password at once with “Forgot your password?”.',
  },
}

const af: MailWords = {
  greeting: name => (name === null ? 'Hallo,' : `Hallo ${name},`),
  footer: organization => `${organization} het hierdie e-pos oor jou bestelling of jou rekening gestuur.`,
  order: 'Bestelling',
  event: 'Geleentheid',
  when: 'Wanneer',
  where: 'Waar',
  total: 'Totaal',
  refund: 'Terugbetaling',
  ticket: number => `Kaartjie ${number}`,
  place: (zone, seat) => (seat ? `${zone}, ry ${seat.row}, sitplek ${seat.number}` : zone),
  openOrder: 'Maak jou bestelling oop',
  paid: {
    subject: event => `Jou kaartjies vir ${event}`,
    intro: (event, tickets) =>
      tickets === 1 ? `Hier is jou kaartjie vir ${event}.` : `Hier is jou ${tickets} kaartjies vir ${event}.`,
    keep: 'Enigeen wat hierdie skakel het, kan die bestelling oopmaak. Hou dit vir jouself.',
  },
  moved: {
    subject: event => `Jou nuwe sitplekke vir ${event}`,
    intro: event => `Jou sitplekke vir ${event} het verander. Dit is waar jy nou sit.`,
    older:
      'Kaartjies vir jou ou sitplekke werk nie meer nie. Maak jou bestelling oop om die nuwes te sien of te druk.',
  },
  refunded: {
    subject: event => `Terugbetaling vir ${event}`,
    cause: {
      late_money: event =>
        `Jou betaling vir ${event} het gekom nadat jou sitplekke vrygestel is, en daarom kon ons nie vir jou kaartjies gee nie.`,
      staff: event =>
        `Kaartjies van jou bestelling vir ${event} is terugbetaal. Hulle is nie meer geldig nie.`,
      goodwill: event =>
        `Jy kry geld van jou bestelling vir ${event} terug. Jou kaartjies bly soos hulle is.`,
      event_cancelled: event => `${event} is gekanselleer. Jou kaartjies is nie meer geldig nie.`,
    },
    money: amount => `${amount} word terugbetaal op dieselfde manier as waarop jy betaal het.`,
    noAmount: 'Die verkoper betaal jou terug op dieselfde manier as waarop jy betaal het.',
  },
  passwordReset: {
    subject: organization => `Kies ’n nuwe wagwoord vir ${organization}`,
    intro: 'Jy het vir ’n nuwe wagwoord gevra.',
    link: 'Kies ’n nuwe wagwoord',
    limit: 'Die skakel werk een keer, vir een uur.',
    notYou: 'As jy nie daarvoor gevra het nie, ignoreer hierdie e-pos. Jou wagwoord bly soos dit is.',
  },
  invitation: {
    subject: organization => `Jou rekening by ${organization}`,
    intro: organization =>
      `${organization} het vir jou ’n rekening gemaak. Kies ’n wagwoord om dit te gebruik.`,
    link: 'Kies ’n wagwoord',
    limit: 'Die skakel werk een keer, vir sewe dae.',
    notYou:
      'As jy nie weet waarom jy hierdie e-pos gekry het nie, ignoreer dit. Niemand kan die rekening gebruik voordat ’n wagwoord gekies is nie.',
  },
  addressConfirmation: {
    subject: organization => `Bevestig jou e-posadres vir ${organization}`,
    intro: {
      address_confirmation: organization =>
        `Daar is ’n rekening by ${organization} met hierdie adres. Bevestig dat dit joune is: plekke vir lede en vir genooides gaan oop vir bevestigde adresse.`,
      membership_confirmation: organization =>
        `${organization} het ’n lidmaatskap aan die rekening met hierdie adres gegee. Dit tel sodra jy bevestig dat die rekening joune is.`,
    },
    link: 'Bevestig hierdie adres',
    limit: 'Die skakel werk een keer, vir sewe dae.',
    notYou:
      'As jy nie hierdie rekening gemaak het nie, moet dit nie bevestig nie. Maak die skakel oop en kies ’n wagwoord: dan is die rekening net joune. Of ignoreer hierdie e-pos.',
  },
  passwordChanged: {
    subject: organization => `Jou wagwoord vir ${organization} is verander`,
    intro: 'Jou wagwoord is verander, en jy is oral elders afgemeld.',
    notYou: 'As dit nie jy was nie, kies dadelik ’n nuwe wagwoord met “Wagwoord vergeet?”.',
  },
}

export const MAIL_WORDS: Readonly<Record<MailLanguage, MailWords>> = { en, af }
