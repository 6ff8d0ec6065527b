import PostalMime from 'postal-mime'
import { describe, expect, it } from 'vitest'
import { chooseLanguage, type MailLanguage } from './language.ts'
import { PLAIN_LOOK, writeLetter } from './letter.ts'
import { writeMessage } from './message.ts'
import { fillTemplate, type LetterFacts, type OrderFacts } from './templates.ts'

const ORDER: OrderFacts = {
  organization: 'Karoo Stage',
  name: 'Ann',
  number: 'ABCDE-23456',
  event: 'Hamlet',
  venue: 'Old Town Theatre',
  startsAt: new Date('2027-03-01T17:30:00Z'),
  timeZone: 'Africa/Johannesburg',
  currency: 'ZAR',
  total: 120_050,
  tickets: [
    { zone: 'Stalls', seat: { row: 'A', number: '12' }, type: 'Adult', amount: 80_000 },
    { zone: 'Pit', seat: null, type: null, amount: 40_050 },
  ],
  link: 'https://tickets.example.org/karoo/orders/1#secret=s',
}
const WHO = { organization: 'Karoo Stage', name: null }
const written = (facts: LetterFacts, language: MailLanguage = 'en') =>
  writeLetter(fillTemplate(facts, language), language, PLAIN_LOOK)

describe('mails', () => {
  it('about a paid order name the event, the places, the money and the link', () => {
    const { subject, text, html } = written({ kind: 'order_paid', order: ORDER })
    expect(subject).toBe('Your tickets for Hamlet')
    for (const part of ['Hello Ann,', 'ABCDE-23456', 'Monday', '19:30', 'Old Town Theatre', ORDER.link]) {
      expect(text).toContain(part)
    }
    expect(text).toContain('Ticket 1: Stalls, row A, seat 12 · Adult · R')
    expect(text).toMatch(/Total: R\s?1\s200,50/u)
    expect(html).toContain(`href="${ORDER.link}"`)
  })

  it('are written in Afrikaans', () => {
    const { subject, text } = written({ kind: 'order_paid', order: ORDER }, 'af')
    expect(subject).toBe('Jou kaartjies vir Hamlet')
    expect(text).toContain('Kaartjie 1: Stalls, ry A, sitplek 12')
    expect(text).toContain('Maandag')
  })

  it('say why money goes back, and how much', () => {
    const text = (cause: 'late_money' | 'staff' | 'event_cancelled', amount: number | null) =>
      written({ kind: 'order_refunded', order: ORDER, cause, amount }).text
    expect(text('late_money', 80_000)).toMatch(/after your seats had been released/)
    expect(text('late_money', 80_000)).toMatch(/R\s?800,00 is being paid back/u)
    expect(text('event_cancelled', 80_000)).toContain('Hamlet has been cancelled')
    expect(text('staff', null)).toContain('The seller pays you back')
    // A free ticket went back: there is no money to speak of.
    expect(text('staff', 0)).not.toMatch(/paid back|pays you back/)
  })

  it('say where the buyer sits now, and that older tickets open no gate', () => {
    const english = written({ kind: 'order_moved', order: ORDER })
    expect(english.subject).toBe('Your new seats for Hamlet')
    expect(english.text).toContain('Ticket 1: Stalls, row A, seat 12')
    expect(english.text).toMatch(/old seats no longer work/)
    expect(written({ kind: 'order_moved', order: ORDER }, 'af').subject).toBe('Jou nuwe sitplekke vir Hamlet')
  })

  it('about passwords are in both languages', () => {
    const link = 'https://tickets.example.org/karoo/password#token=t'
    for (const language of ['en', 'af'] as const) {
      expect(written({ kind: 'password_reset', who: WHO, link }, language).text).toContain(link)
      expect(written({ kind: 'password_changed', who: WHO }, language).subject).toContain('Karoo Stage')
    }
  })

  it('have the logo and the colour of the sender, and its name where there is no logo', () => {
    const letter = fillTemplate({ kind: 'order_paid', order: ORDER }, 'en')
    const url = 'https://tickets.example.org/karoo/images/a/plain.png'
    const look = { accent: '#7b3fa0', onAccent: '#fefefe', logo: { url, width: 96, height: 32 } }
    const branded = writeLetter(letter, 'en', look).html
    expect(branded).toContain(`<img src="${url}" alt="Karoo Stage" width="96" height="32"`)
    expect(branded).toContain('background:#7b3fa0;color:#fefefe')
    const plain = writeLetter(letter, 'en', PLAIN_LOOK).html
    expect(plain).not.toContain('<img')
    expect(plain).toContain('>Karoo Stage</p>')
  })

  it('show markup in names as text', () => {
    const order = { ...ORDER, name: '<img src=x onerror=alert(1)>', event: '"Tom" & \'Jerry\' <b>' }
    const { html } = written({ kind: 'order_paid', order })
    expect(html).not.toMatch(/<img|<b>/)
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;')
    expect(html).toContain('&quot;Tom&quot; &amp; &#39;Jerry&#39; &lt;b&gt;')
  })
})

it.each(['\r\n', '\n', '\r', '\u2028', '\u0085', '\0'])(
  'a name with %j adds no header and no line',
  async end => {
    const evil = `x${end}Bcc: evil@example.org${end}${end}<b>hello`
    const organization = {
      id: '1' as never,
      slug: 'k',
      name: evil,
      time_zone: 'UTC',
      locale: 'en',
      currency: 'ZAR',
      colour: null,
      allowed_origins: [],
      stripe_account: null,
      stripe_account_wanted: null,
      support_email: null,
    }
    const order = { ...ORDER, name: evil, event: evil, venue: evil, organization: evil }
    const letter = { kind: 'order_paid' as const, order }
    const facts = { language: 'en' as const, organization, letter, look: PLAIN_LOOK }
    const mail = { id: '01990000-0000-7000-8000-000000000000', recipient: 'ann@example.org' }
    const bytes = await writeMessage(mail, facts, { name: null, address: 'tickets@example.org' })
    const read = await PostalMime.parse(bytes)
    expect(read.bcc ?? []).toEqual([])
    expect(read.headers.map(header => header.key).sort()).toEqual([
      'auto-submitted',
      'content-type',
      'date',
      'from',
      'message-id',
      'mime-version',
      'subject',
      'to',
      'x-auto-response-suppress',
    ])
    expect(read.to).toEqual([{ address: 'ann@example.org', name: '' }])
    expect(read.text!.split('\n').filter(line => /^(Bcc|<b>)/.test(line))).toEqual([])
  },
)

it.each([
  ['af-ZA', 'en', 'af'],
  ['de, af;q=0.4, en;q=0.7', 'af', 'en'],
  ['af;q=0, fr', 'en-ZA', 'en'],
  ['zu', 'af-ZA', 'af'],
  ['constructor', 'zu', 'en'],
  [null, 'af', 'af'],
  ['en;q=x, af', 'en', 'af'],
] as const)(
  'a reader who wants %s from an organization that speaks %s gets %s',
  (reader, organization, language) => {
    expect(chooseLanguage(reader, organization)).toBe(language)
  },
)
