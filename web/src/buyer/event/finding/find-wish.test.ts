import { describe, expect, it } from 'vitest'
import {
  allowanceOf,
  alternativesOf,
  type FindWish,
  fitWish,
  partsOf,
  wishBody,
  withAlternative,
} from './find-wish.ts'

const wish: FindWish = {
  quantity: 2,
  isTogether: false,
  wheelchair: 0,
  companions: 0,
  zoneId: null,
  mostAmount: null,
}

describe('a wish for seats', () => {
  it('stays within what a booking may have', () => {
    expect(allowanceOf(10, 4)).toBe(6)
    expect(allowanceOf(4, 6)).toBe(0)
    expect(allowanceOf(null, 6)).toBe(100)
    expect(fitWish({ ...wish, quantity: 8 }, 3).quantity).toBe(3)
    expect(fitWish(wish, 0).quantity).toBe(1)
    // Wheelchair places and companions are among the seats; without a wheelchair place there is no companion.
    expect(fitWish({ ...wish, wheelchair: 1, companions: 4 }, 10)).toMatchObject({ companions: 1 })
    expect(fitWish({ ...wish, companions: 1 }, 10)).toMatchObject({ companions: 0 })
  })

  it('is sent as the server understands it', () => {
    expect(wishBody(wish)).toEqual({ quantity: 2, together: 'preferred' })
    expect(wishBody({ ...wish, mostAmount: 0 })).toMatchObject({ max_amount: 0 })
    expect(wishBody({ ...wish, isTogether: true, wheelchair: 1, companions: 1, zoneId: 'balcony' })).toEqual({
      quantity: 2,
      together: 'required',
      zone_id: 'balcony',
      accessible: { wheelchair: 1, companions: 1 },
    })
  })

  it('becomes what the server offers instead', () => {
    const strict = { ...wish, quantity: 3, isTogether: true, mostAmount: 34_000 }
    const offered = [
      { kind: 'fewer', quantity: 2 },
      { kind: 'apart' },
      { kind: 'any_price' },
      { kind: 'zone', zone_id: 'balcony' },
      { kind: 'of_a_later_server' },
    ]
    const alternatives = alternativesOf({ reason: 'not_together', alternatives: offered as never })
    expect(alternatives.map(alternative => withAlternative(strict, alternative))).toEqual([
      { ...strict, quantity: 2 },
      { ...strict, isTogether: false },
      { ...strict, mostAmount: null },
      { ...strict, zoneId: 'balcony' },
    ])
  })

  it('is answered row by row', () => {
    const cluster = {
      zone_id: 'z',
      zone_name: 'Stalls',
      row: 'A-1',
      seat_ids: [],
      labels: ['A-1-4', 'A-1-5'],
    }
    const explanation = { together: true, last_resort: false, clusters: [cluster], sentence: '' }
    expect(partsOf(explanation)).toEqual([{ zone: 'Stalls', row: 'A-1', numbers: ['4', '5'] }])
  })
})
