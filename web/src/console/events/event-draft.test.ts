import { describe, expect, it } from 'vitest'
import type { AdminEvent } from './event-desk.svelte.ts'
import { EventDraft } from './event-draft.svelte.ts'

const ZONE = 'Africa/Johannesburg'
const stored = (more: Partial<AdminEvent> = {}) =>
  ({
    name: 'Play',
    description: null,
    venue: { id: 'v', name: 'Hall' },
    layout: { id: 'l', version: 1 },
    time_zone: ZONE,
    days: [],
    starts_at: '2027-03-01T17:30:00.000Z',
    ends_at: '2027-03-01T19:45:00.000Z',
    doors_at: null,
    sale_start: null,
    sale_end: null,
    ...more,
  }) as unknown as AdminEvent

describe('the times of an event in its form', () => {
  it('sales close with the start that is typed, and say so without an end of their own', () => {
    const draft = new EventDraft(null)
    draft.setStart('2027-03-01T19:30')
    expect([draft.texts.saleEnd, draft.closesAtStart]).toEqual(['2027-03-01T19:30', true])
    draft.setStart('2027-03-02T20:00')
    expect(draft.texts.saleEnd).toBe('2027-03-02T20:00')
    expect(draft.toCreate(ZONE)).toMatchObject({ starts_at: '2027-03-02T18:00:00.000Z', sale_end: null })
    draft.texts.saleEnd = '2027-03-02T19:00'
    draft.setStart('2027-03-03T20:00')
    expect(draft.toCreate(ZONE)).toMatchObject({ sale_end: '2027-03-02T17:00:00.000Z' })
  })

  it('an event that moves keeps its length, and its sales the start', () => {
    const draft = new EventDraft(stored())
    expect([draft.texts.saleEnd, draft.changed]).toEqual(['2027-03-01T19:30', []])
    draft.setStart('2027-03-08T20:00')
    expect(draft.texts.ends).toBe('2027-03-08T22:15')
    expect(draft.changed).toEqual(['starts', 'ends'])
    expect(draft.toPatch(ZONE)).toEqual({
      starts_at: '2027-03-08T18:00:00.000Z',
      ends_at: '2027-03-08T20:15:00.000Z',
      sale_end: null,
    })
    draft.discard()
    expect(draft.changed).toEqual([])
  })

  it('an end that stands at the old start goes along with it', () => {
    const draft = new EventDraft(stored({ sale_end: '2027-03-01T17:30:00.000Z', ends_at: null }))
    draft.setStart('2027-03-02T19:30')
    expect(draft.toPatch(ZONE)).toEqual({ starts_at: '2027-03-02T17:30:00.000Z', sale_end: null })
  })

  it('an event of many days closes with its last one', () => {
    const days = ['2027-03-01', '2027-03-02'].map(date => ({
      date,
      name: null,
      starts_at: null,
      ends_at: null,
    }))
    const draft = new EventDraft(stored({ days, ends_at: null }))
    expect(draft.texts.saleEnd).toBe('')
    draft.setStart('2027-03-01T20:00')
    expect(draft.toPatch(ZONE)).toEqual({ starts_at: '2027-03-01T18:00:00.000Z' })
  })

  it('it must end after it starts', () => {
    const draft = new EventDraft(stored())
    draft.texts.ends = '2027-03-01T19:30'
    expect([draft.endsEarly, draft.isSound]).toEqual([true, false])
  })
})
