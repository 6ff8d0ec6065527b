import { expect, it } from 'vitest'
import { createFormat } from '../../kit/words/format.ts'
import { consoleEn } from '../kit/words/en.ts'
import { type JournalEntry, seatAt, storyLine } from './story.ts'

const words = consoleEn(createFormat('en-ZA')).story
const entry = (kind: string, at: string, more: Partial<JournalEntry> = {}): JournalEntry => ({
  seq: 1,
  kind,
  at: `2026-11-17T${at}:00.000Z`,
  command_id: 'c',
  actor_id: 'a',
  actor_email: null,
  source: 'web',
  address: null,
  user_agent: null,
  hold_id: 'h',
  user_id: 'u',
  user_email: null,
  seat_id: 's',
  seat_label: 'A-12',
  order: null,
  held_duration_seconds: null,
  body: {},
  ...more,
})
const moment = (at: string) => Date.parse(`2026-11-17T${at}:00.000Z`)

it('says who had a seat at a moment', () => {
  const story = [
    entry('seat_reserved', '20:00', { user_email: 'anna@example.org' }),
    entry('seat_hold_extended', '20:04'),
    entry('seat_hold_expired', '20:10'),
    entry('seat_blocked', '20:20'),
    entry('seat_unblocked', '20:30'),
    entry('seat_reserved', '20:40', { user_email: 'ben@example.org' }),
    entry('seat_converted', '20:45', { user_email: 'ben@example.org' }),
    entry('ticket_voided', '21:00'),
  ]
  expect(seatAt(story, moment('19:59'))).toEqual({ kind: 'free' })
  expect(seatAt(story, moment('20:03'))).toEqual({ kind: 'held', who: 'anna@example.org' })
  expect(seatAt(story, moment('20:05'))).toEqual({ kind: 'held', who: 'anna@example.org' })
  expect(seatAt(story, moment('20:15'))).toEqual({ kind: 'free' })
  expect(seatAt(story, moment('20:25'))).toEqual({ kind: 'blocked' })
  expect(seatAt(story, moment('20:50'))).toEqual({ kind: 'sold', who: 'ben@example.org' })
  expect(seatAt(story, moment('21:30'))).toEqual({ kind: 'free' })
})

it('tells an entry with its actor, its place and its reason', () => {
  const released = entry('seat_released', '20:00', {
    actor_email: 'thabo@example.org',
    source: 'admin',
    address: '10.0.0.1',
    user_agent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36',
    held_duration_seconds: 300,
    body: { reason: 'admin_override', notes: 'Asked by telephone' },
  })
  expect(storyLine(released, words)).toMatchObject({
    title: 'Released by thabo@example.org after 5 min',
    note: 'Console or box office · Chrome, Linux · 10.0.0.1 · “Asked by telephone”',
  })
  expect(storyLine(entry('seat_reserved', '20:00'), words).title).toBe('Held by a guest')
})

it('names the buyer of a seat and their order, and beside it who sold it', () => {
  const order = {
    ...{ order_id: 'o1', order_number: 'G324D-HHSXF' },
    ...{ contact_name: 'Pieter Botha', contact_email: 'pieter@example.org' },
  }
  const cashier = {
    source: 'admin',
    actor_email: 'annelie@karoo.example',
    user_email: 'annelie@karoo.example',
  }
  const sold = entry('seat_converted', '20:45', { ...cashier, order })
  expect(storyLine(sold, words)).toMatchObject({
    title: 'Sold to Pieter Botha',
    note: 'Sold by annelie@karoo.example · Console or box office',
    order: { id: 'o1', text: 'Order G324D-HHSXF' },
  })
  expect(seatAt([sold], moment('21:00'))).toEqual({ kind: 'sold', who: 'Pieter Botha' })
  const byMail = { ...sold, order: { ...order, contact_name: null } }
  expect(storyLine(byMail, words).title).toBe('Sold to pieter@example.org')
  const unnamed = { ...sold, order: { ...order, contact_name: null, contact_email: null } }
  expect(storyLine(unnamed, words).title).toBe('Sold to a buyer without a name')
  expect(seatAt([unnamed], moment('21:00'))).toEqual({ kind: 'sold', who: null })
  // Online the buyer is who made the order.
  const online = entry('seat_converted', '20:45', { user_email: 'ben@example.org' })
  expect(storyLine(online, words)).toMatchObject({
    title: 'Sold to ben@example.org',
    note: 'Web',
    order: null,
  })
})

it('tells for whom the box office held a seat, and where a ticket went', () => {
  const body = { cartToken: 'Anna, by telephone' }
  expect(storyLine(entry('seat_reserved', '20:00', { source: 'admin', body }), words).note).toContain(
    '“Anna, by telephone”',
  )
  expect(storyLine(entry('seat_reserved', '20:00', { source: 'api', body }), words).note).not.toContain(
    'Anna',
  )
  const moved = entry('ticket_voided', '20:00', { source: 'admin', body: { reason: 'Moved to Stalls B 4' } })
  expect(storyLine(moved, words).note).toContain('“Moved to Stalls B 4”')
})
