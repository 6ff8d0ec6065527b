import { expect, test } from 'vitest'
import {
  compiled,
  type FaultCase,
  faultsAfter,
  stallsSeat as seat,
  smallTheatre,
} from './fixtures/small-theatre.ts'
import type { LayoutConfig } from './model.ts'
import { toConfig } from './to-config.ts'

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

test('a wheelchair place has several companion seats, by its list, its name and theirs', () => {
  const config = smallTheatre()
  config.seat_groups.splice(0)
  const labels = companions(config, 3)
  Object.assign(seat(config, 0), { companion_seat_labels: ['A-2', labels[1]!, labels[0]!] })
  config.zones[0]!.seats!.at(-1)!.companion_seat_label = 'A-1'
  const layout = compiled(config)
  expect(layout.seats.map(({ companionOrdinal }) => companionOrdinal)).toEqual([
    1,
    0,
    null,
    null,
    0,
    0,
    0,
    null,
  ])
  const [place, ...others] = toConfig(layout).zones[0]!.seats!
  expect(place!.companion_seat_label).toBeUndefined()
  expect(place!.companion_seat_labels).toEqual(['A-2', ...labels])
  for (const index of [0, 3, 4, 5]) expect(others[index]!.companion_seat_label).toBe('A-1')
})

/** As many more companion seats in the zone, by their labels. */
function companions(config: LayoutConfig, count: number): string[] {
  const numbers = Array.from({ length: count }, (_, index) => index + 1)
  config.zones[0]!.seats!.push(
    ...numbers.map(number => ({ row: 'C', number, category: 'companion' as const })),
  )
  return numbers.map(number => `C-${number}`)
}

const at = (index: number) => `/zones/0/seats/${index}/companion_seat_label`
const list = (index: number, entry: number) => `/zones/0/seats/${index}/companion_seat_labels/${entry}`
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
    'listed and not there',
    list(0, 1),
    'companion_not_found',
    c => (seat(c, 0).companion_seat_labels = ['A-2', 'Z-1']),
  ],
  [
    'listed in another zone',
    list(0, 0),
    'companion_not_found',
    c => {
      Object.assign(c.zones[2]!.seats![0]!, { label: 'L-1', category: 'companion' })
      seat(c, 0).companion_seat_labels = ['L-1']
    },
  ],
  ['listed as itself', list(0, 0), 'companion_is_itself', c => (seat(c, 0).companion_seat_labels = ['A-1'])],
  [
    'listed and a standard seat',
    list(0, 0),
    'companion_category_wrong',
    c => (seat(c, 0).companion_seat_labels = ['A-3']),
  ],
  [
    'listed twice',
    list(0, 1),
    'companion_named_twice',
    c => (seat(c, 0).companion_seat_labels = ['A-2', 'A-2']),
  ],
  [
    'listed by two wheelchairs',
    list(2, 0),
    'companion_claimed_twice',
    c => Object.assign(seat(c, 2), { category: 'wheelchair', companion_seat_labels: ['A-2'] }),
  ],
  [
    'listed and naming another',
    list(0, 0),
    'companion_not_mutual',
    c => {
      Object.assign(seat(c, 0), { companion_seat_label: null, companion_seat_labels: ['A-2'] })
      seat(c, 1).companion_seat_label = 'A-3'
      seat(c, 2).category = 'wheelchair'
    },
  ],
  [
    'a seat with a list of its own',
    '/zones/0/seats/1/companion_seat_labels',
    'companion_category_wrong',
    c => (seat(c, 1).companion_seat_labels = ['A-1']),
  ],
  [
    'one of a list that is too long',
    '/zones/0/seats/0/companion_seat_labels',
    'too_many_companions',
    c => (seat(c, 0).companion_seat_labels = companions(c, 21)),
  ],
  [
    'one of too many that name one wheelchair',
    '/zones/0/seats/0',
    'too_many_companions',
    c => {
      companions(c, 20)
      for (const companion of c.zones[0]!.seats!.slice(4)) companion.companion_seat_label = 'A-1'
    },
  ],
])('refused: a companion that is %s', (_what, path, code, change) => {
  const withoutGroups: FaultCase[3] = config => {
    config.seat_groups.splice(0)
    change(config)
  }
  expect(faultsAfter(withoutGroups)).toEqual([[path, code]])
})
