import { moneyText } from '@voelgoed/kit/base/money-text'
import { MAIL_LOCALES, type MailLanguage } from './language.ts'
import type { Block, Letter } from './letter.ts'
import { MAIL_WORDS, type MailWords } from './words.ts'

/** Each mail knows these of its reader and its sender. */
interface Correspondents {
  readonly organization: string
  readonly name: string | null
}

export interface OrderFacts extends Correspondents {
  readonly number: string
  readonly event: string
  readonly venue: string
  readonly startsAt: Date | null
  /** The time zone of the venue. */
  readonly timeZone: string
  readonly currency: string | null
  readonly total: number | null
  /** The order has these valid tickets. */
  readonly tickets: readonly {
    readonly zone: string
    readonly seat: { readonly row: string; readonly number: string } | null
    readonly type: string | null
    readonly amount: number | null
  }[]
  readonly link: string
}

export type LetterFacts =
  | { readonly kind: 'order_paid' | 'order_moved'; readonly order: OrderFacts }
  | {
      readonly kind: 'order_refunded'
      readonly order: OrderFacts
      readonly cause: 'late_money' | 'staff' | 'goodwill' | 'event_cancelled'
      readonly amount: number | null
    }
  | {
      readonly kind: 'password_reset' | 'invitation' | 'address_confirmation' | 'membership_confirmation'
      readonly who: Correspondents
      readonly link: string
    }
  | { readonly kind: 'password_changed'; readonly who: Correspondents }

export function fillTemplate(facts: LetterFacts, language: MailLanguage): Letter {
  const words = MAIL_WORDS[language]
  const who = 'order' in facts ? facts.order : facts.who
  const greeting = words.greeting(who.name)
  const footer = words.footer(who.organization)
  return { sender: who.organization, greeting, footer, ...bodyOf(facts, words, MAIL_LOCALES[language]) }
}

function bodyOf(facts: LetterFacts, words: MailWords, locale: string): Pick<Letter, 'subject' | 'blocks'> {
  switch (facts.kind) {
    case 'order_paid':
      return paid(facts.order, words, locale)
    case 'order_moved':
      return moved(facts.order, words, locale)
    case 'order_refunded':
      return refunded(facts, words, locale)
    case 'password_reset': {
      const { subject, intro, link, limit, notYou } = words.passwordReset
      return {
        subject: subject(facts.who.organization),
        blocks: [text(intro), { kind: 'link', label: link, url: facts.link }, text(limit), text(notYou)],
      }
    }
    case 'invitation': {
      const { subject, intro, link, limit, notYou } = words.invitation
      const { organization } = facts.who
      return {
        subject: subject(organization),
        blocks: [
          text(intro(organization)),
          { kind: 'link', label: link, url: facts.link },
          text(limit),
          text(notYou),
        ],
      }
    }
    case 'address_confirmation':
    case 'membership_confirmation': {
      const { subject, intro, link, limit, notYou } = words.addressConfirmation
      const { organization } = facts.who
      return {
        subject: subject(organization),
        blocks: [
          text(intro[facts.kind](organization)),
          { kind: 'link', label: link, url: facts.link },
          text(limit),
          text(notYou),
        ],
      }
    }
    case 'password_changed': {
      const { subject, intro, notYou } = words.passwordChanged
      return { subject: subject(facts.who.organization), blocks: [text(intro), text(notYou)] }
    }
  }
}

function paid(order: OrderFacts, words: MailWords, locale: string): Pick<Letter, 'subject' | 'blocks'> {
  const total = moneyOf(order.total, order.currency, locale)
  return {
    subject: words.paid.subject(order.event),
    blocks: [
      text(words.paid.intro(order.event, order.tickets.length)),
      rows([
        ...eventRows(order, words, locale),
        ...ticketRows(order, words, locale),
        ...(total ? [[words.total, total] as const] : []),
      ]),
      { kind: 'link', label: words.openOrder, url: order.link },
      text(words.paid.keep),
    ],
  }
}

/** All valid tickets of the order: the buyer sees where everyone sits now. */
function moved(order: OrderFacts, words: MailWords, locale: string): Pick<Letter, 'subject' | 'blocks'> {
  return {
    subject: words.moved.subject(order.event),
    blocks: [
      text(words.moved.intro(order.event)),
      rows([...eventRows(order, words, locale), ...ticketRows(order, words, locale)]),
      text(words.moved.older),
      { kind: 'link', label: words.openOrder, url: order.link },
      text(words.paid.keep),
    ],
  }
}

function ticketRows(order: OrderFacts, words: MailWords, locale: string): [string, string][] {
  return order.tickets.map(({ zone, seat, type, amount }, index) => {
    const parts = [words.place(zone, seat), type, moneyOf(amount, order.currency, locale)]
    return [words.ticket(index + 1), parts.filter(part => part !== null).join(' · ')]
  })
}

function refunded(
  { order, cause, amount }: Extract<LetterFacts, { kind: 'order_refunded' }>,
  words: MailWords,
  locale: string,
): Pick<Letter, 'subject' | 'blocks'> {
  const money = moneyOf(amount, order.currency, locale)
  return {
    subject: words.refunded.subject(order.event),
    blocks: [
      text(words.refunded.cause[cause](order.event)),
      ...(amount === 0 ? [] : [text(money === null ? words.refunded.noAmount : words.refunded.money(money))]),
      rows([...eventRows(order, words, locale), ...(money === null ? [] : [[words.refund, money] as const])]),
      { kind: 'link', label: words.openOrder, url: order.link },
    ],
  }
}

function eventRows(order: OrderFacts, words: MailWords, locale: string): (readonly [string, string])[] {
  const { startsAt, timeZone } = order
  const when = startsAt && new Intl.DateTimeFormat(locale, { ...MOMENT, timeZone }).format(startsAt)
  return [
    [words.order, order.number],
    [words.event, order.event],
    ...(when ? [[words.when, when] as const] : []),
    [words.where, order.venue],
  ]
}

const MOMENT = {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
} as const

function moneyOf(amount: number | null, currency: string | null, locale: string): string | null {
  return amount === null || currency === null ? null : moneyText(amount, currency, locale)
}

function text(value: string): Block {
  return { kind: 'text', text: value }
}

function rows(values: readonly (readonly [string, string])[]): Block {
  return { kind: 'rows', rows: values }
}
