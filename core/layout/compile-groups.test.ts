import { expect, test } from 'vitest'
import { compiled, type FaultCase, faultsAfter, smallTheatre, uuid } from './fixtures/small-theatre.ts'

test('seats are found by id as well as by zone and label, in any case', () => {
  const config = smallTheatre()
  const { seats, groups } = compiled(config)
  expect(groups[0]!.ordinals).toEqual([0, 1])
  const ids = [seats[0]!.seatId.toUpperCase(), seats[1]!.seatId]
  config.seat_groups = [{ group_type: 'wheelchair_pair', seat_ids: ids }]
  expect(compiled(config).groups).toEqual(groups)
})

test('a seat may be in several groups', () => {
  const config = smallTheatre()
  config.seat_groups.push({ ...config.seat_groups[0]!, group_type: 'family_block', name: 'Family' })
  expect(compiled(config).groups.map(({ ordinals }) => ordinals)).toEqual([
    [0, 1],
    [0, 1],
  ])
})

const path = '/seat_groups/0'
type Groups = Parameters<FaultCase[3]>[0]['seat_groups']
const change = (members: Partial<Groups[number]>): FaultCase[3] => {
  return ({ seat_groups }) => Object.assign(seat_groups[0]!, members)
}
test.each<FaultCase>([
  ['without seats', path, 'group_seats_missing', change({ seats: undefined })],
  ['with ids and labels', path, 'group_seats_given_twice', change({ seat_ids: [] })],
  ['that is empty', `${path}/seats`, 'group_empty', change({ seats: [] })],
  [
    'of an unknown seat',
    `${path}/seat_ids/0`,
    'group_seat_unknown',
    change({ seats: undefined, seat_ids: [uuid(99)] }),
  ],
  [
    'of an unknown zone',
    `${path}/seats/1`,
    'group_seat_unknown',
    c => (c.seat_groups[0]!.seats![1]!.zone = 'Balcony'),
  ],
  [
    'of one seat twice',
    `${path}/seats/1`,
    'group_seat_twice',
    c => (c.seat_groups[0]!.seats![1]!.label = 'A-1'),
  ],
  [
    'across two zones',
    `${path}/seats`,
    'group_spans_zones',
    c => c.seat_groups[0]!.seats!.push({ zone: 'Lounge', label: 'A-1' }),
  ],
  [
    'that is too large',
    `${path}/seats`,
    'too_many_seats_in_group',
    change({ seats: Array.from({ length: 1_001 }, () => ({ zone: 'Stalls', label: 'A-1' })) }),
  ],
  [
    'of a wheelchair pair without a companion seat',
    `${path}/seats`,
    'wheelchair_pair_incomplete',
    c => (c.seat_groups[0]!.seats![1]!.label = 'A-3'),
  ],
  [
    'of a wheelchair pair without a wheelchair place',
    `${path}/seats`,
    'wheelchair_pair_incomplete',
    c => (c.seat_groups[0]!.seats![0]!.label = 'A-3'),
  ],
  ['with an id that is none', `${path}/group_id`, 'id_not_uuid', change({ group_id: 'pair' })],
  ['with an empty name', `${path}/name`, 'text_empty', change({ name: '' })],
  [
    'that is there twice',
    '/seat_groups/1/group_id',
    'duplicate_group_id',
    c => c.seat_groups.push({ ...c.seat_groups[0]! }),
  ],
  [
    'with the id of another',
    '/seat_groups/1/group_id',
    'duplicate_group_id',
    c => {
      c.seat_groups[0]!.group_id = uuid(12)
      c.seat_groups.push({ ...c.seat_groups[0]!, group_type: 'family_block' })
    },
  ],
])('refused: a group %s', (_what, at, code, changeGroup) => {
  expect(faultsAfter(changeGroup)).toEqual([[at, code]])
})
