import { expect, test } from 'vitest'
import {
  compiled,
  type FaultCase,
  faultsAfter,
  stallsSeat as seat,
  smallTheatre,
} from './fixtures/small-theatre.ts'

test.each([
  ['the wheelchair place', 'A-2', null],
  ['the companion seat', null, 'A-1'],
  ['both', 'A-2', 'A-1'],
])('a pair is mutual when %s names the other', (_who, wheelchair, companion) => {
  const config = smallTheatre()
  seat(config, 0).companion_seat_label = wheelchair
  seat(config, 1).companion_seat_label = companion
  expect(compiled(config).seats.map(({ companionOrdinal }) => companionOrdinal)).toEqual([
    1,
    0,
    null,
    null,
    null,
  ])
})

const at = (index: number) => `/zones/0/seats/${index}/companion_seat_label`
test.each<FaultCase>([
  ['not there', at(0), 'companion_not_found', c => (seat(c, 0).companion_seat_label = 'Z-1')],
  [
    'in another zone',
    at(0),
    'companion_not_found',
    c => {
      Object.assign(c.zones[2]!.seats![0]!, { label: 'L-1', category: 'companion' })
      seat(c, 0).companion_seat_label = 'L-1'
    },
  ],
  ['the seat itself', at(0), 'companion_is_itself', c => (seat(c, 0).companion_seat_label = 'A-1')],
  ['a standard seat', at(0), 'companion_category_wrong', c => (seat(c, 1).category = 'standard')],
  ['a wheelchair place too', at(0), 'companion_category_wrong', c => (seat(c, 1).category = 'wheelchair')],
  [
    'naming another',
    at(0),
    'companion_not_mutual',
    c => {
      seat(c, 1).companion_seat_label = 'A-3'
      seat(c, 2).category = 'wheelchair'
    },
  ],
  [
    'claimed by two wheelchairs',
    at(2),
    'companion_claimed_twice',
    c => Object.assign(seat(c, 2), { category: 'wheelchair', companion_seat_label: 'A-2' }),
  ],
  [
    'one of two that claim one wheelchair',
    at(2),
    'companion_claimed_twice',
    c => {
      seat(c, 0).companion_seat_label = null
      seat(c, 1).companion_seat_label = 'A-1'
      Object.assign(seat(c, 2), { category: 'companion', companion_seat_label: 'A-1' })
    },
  ],
])('refused: a companion that is %s', (_what, path, code, change) => {
  const withoutGroups: FaultCase[3] = config => {
    config.seat_groups.splice(0)
    change(config)
  }
  expect(faultsAfter(withoutGroups)).toEqual([[path, code]])
})
