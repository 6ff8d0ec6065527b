import { describe, expect, it } from 'vitest'
import { type FirstRunFacts, isFirstRun, stepsDone } from './first-run.ts'

const nothing: FirstRunFacts = { venues: [], layouts: [], events: [], taken: 0 }
const version = (status: 'draft' | 'active') => ({
  versions: [{ version: 1, status, total_capacity: 1, seat_count: 1, created_at: '' }],
})
const done = (facts: Partial<FirstRunFacts>) => [...stepsDone({ ...nothing, ...facts })]

describe('the way to a first event', () => {
  it('is read from what is there', () => {
    expect(done({})).toEqual([])
    expect(done({ isPlaced: true })).toEqual(['region'])
    expect(done({ venues: [{ id: 'v' }], layouts: [version('draft')] })).toEqual(['region', 'venue'])
    expect(done({ venues: [{ id: 'v' }], layouts: [version('active')] })).toEqual([
      'region',
      'venue',
      'layout',
    ])
    const draft = { status: 'draft', currency: null } as const
    expect(done({ venues: [{ id: 'v' }], events: [draft] })).toEqual(['region', 'venue', 'layout', 'event'])
    const onSale = { status: 'published', currency: 'ZAR' } as const
    expect(done({ venues: [{ id: 'v' }], events: [onSale], taken: 2 })).toHaveLength(7)
  })

  it('ends when a first seat is taken, and does not come back', () => {
    expect(isFirstRun([], null)).toBe(true)
    expect(isFirstRun([{ status: 'draft' }], null)).toBe(true)
    expect(isFirstRun([{ status: 'published' }], 0)).toBe(true)
    expect(isFirstRun([{ status: 'published' }], null)).toBe(false)
    expect(isFirstRun([{ status: 'published' }], 1)).toBe(false)
    expect(isFirstRun([{ status: 'published' }, { status: 'draft' }], 0)).toBe(false)
    expect(isFirstRun([{ status: 'completed' }], 0)).toBe(false)
  })
})
