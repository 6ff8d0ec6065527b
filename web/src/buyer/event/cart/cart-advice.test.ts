import { describe, expect, it } from 'vitest'
import { decodeMap } from '../../../map/index.ts'
import { compiled, encodeLayout } from '../../../map/test/encode-layout.ts'
import { companionsOf, inRowsOf, stepsTo, wholesWith, withWholes } from './cart-advice.ts'
import type { MyHold } from './holdings.svelte.ts'

/** A wheelchair place, its companion seat, two seats; behind them a table of two and two seats. */
const layout = compiled({
  zones: [
    {
      name: 'Stalls',
      zone_type: 'reserved_seating',
      seats: ['wheelchair', 'companion', 'standard', 'standard', ...Array(4).fill('standard')].map(
        (category, index) => ({
          row: index < 4 ? 'A' : 'B',
          number: (index % 4) + 1,
          category,
          coordinates: { x: index % 4, y: index < 4 ? 0 : 1 },
        }),
      ),
    },
  ],
  seat_groups: [
    {
      group_type: 'vip_table',
      seats: [1, 2].map(number => ({ zone: 'Stalls', label: `B-${number}` })),
      metadata: { sell: 'whole' },
    },
  ],
})
const model = decodeMap(encodeLayout(layout))
const id = (ordinal: number) => model.seatIdOf(ordinal)
const hold = (ordinal: number) =>
  ({
    hold_id: `hold-${ordinal}`,
    seat_id: id(ordinal),
    zone_id: model.zones[0]!.zoneId,
    row: model.rowOf(ordinal),
    seat_number: model.numberOf(ordinal),
  }) as MyHold
const places = { hold_id: 'hold-places', zone_id: 'pit', quantity: 3 } as MyHold

describe('advice about a cart', () => {
  it('the companion seats of the wheelchair places in it', () => {
    expect(companionsOf(model, [0, 3])).toEqual([1])
    expect(companionsOf(model, [1, 2, 3])).toEqual([])
  })

  it('a table goes as a whole', () => {
    expect(wholesWith(model, [4])).toEqual([4, 5])
    expect(wholesWith(model, [3])).toEqual([])
    const all = [hold(3), hold(4), hold(5)]
    expect(withWholes(model, all, [all[1]!])).toEqual([all[1], all[2]])
    expect(withWholes(model, all, [all[0]!])).toEqual([all[0]])
  })

  it('from one cart to another: tables and places without numbers stay', () => {
    const all = [hold(2), hold(3), hold(4), hold(5), places]
    expect(stepsTo(model, all, [id(3), id(6)])).toEqual({ missing: [id(6)], leaving: [all[0]] })
  })

  it('seats are looked for in the rows of the cart only', () => {
    expect(inRowsOf(model, [2, 3], [id(1), id(6)])).toEqual([1])
  })
})
