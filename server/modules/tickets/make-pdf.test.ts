import { randomBytes } from 'node:crypto'
import { countPages, decodePdf } from '@voelgoed/testing/read-qr'
import { describe, expect, it } from 'vitest'
import { makePdf, type TicketSheets } from './make-pdf.ts'
import { printable } from './printable.ts'

const newToken = () => `VG1.${randomBytes(100).toString('base64url')}`

const sheets = (tokens: readonly string[], { attendee = 'Zoë Łukasz' } = {}): TicketSheets => ({
  language: 'en',
  organization: 'Karoo Stage',
  event: {
    name: 'Hamlet',
    venue: 'Old Town Theatre',
    address: null,
    timeZone: 'Africa/Johannesburg',
    startsAt: '2027-03-01T17:30:00.000Z',
    days: [],
  },
  orderNumber: '7KQ2M-XD4HT',
  total: tokens.length,
  tickets: tokens.map((token, index) => ({
    number: index + 1,
    ticketId: '0197a000-0000-7000-8000-00000000000c',
    token,
    zone: 'Stalls',
    row: 'A',
    seat: String(index + 1),
    type: 'Adult',
    attendee,
  })),
})

describe('tickets to print', () => {
  it('are one a page, and each code is read as its token', async () => {
    const tokens = [newToken(), newToken(), newToken()]
    const pdf = await makePdf(sheets(tokens))
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-')
    expect(decodePdf(pdf)).toEqual(tokens)
  })

  it('stay on their page, whatever the names are', async () => {
    const { event, ...rest } = sheets([newToken()], { attendee: 'W'.repeat(200) })
    const long = 'Wonderful '.repeat(20).trim()
    const pdf = await makePdf({ ...rest, event: { ...event, name: long, venue: long, address: long } })
    expect(countPages(pdf)).toBe(1)
    expect(decodePdf(pdf)).toEqual([rest.tickets[0]!.token])
  })

  it('have a code also when the font has none of the letters of a name', async () => {
    const token = newToken()
    const pdf = await makePdf(sheets([token], { attendee: '王小明 🎫 \u0007مريم' }))
    expect(decodePdf(pdf)).toEqual([token])
  })
})

describe('a text that the font can print', () => {
  const latin = (codePoint: number) => codePoint < 0x250

  it('has one mark for each character that is missing, with all that belongs to it', () => {
    expect(printable('Zoë 王小明', latin)).toBe('Zoë ???')
    expect(printable('A👩‍👩‍👧B', latin)).toBe('A?B')
  })

  it('is composed, and on one line', () => {
    expect(printable('Zoe\u0308', latin)).toBe('Zoë')
    expect(printable(' a\n\tb\u0000c ', latin)).toBe('a b c')
    expect(printable('x'.repeat(1_000), latin)).toHaveLength(300)
  })
})
