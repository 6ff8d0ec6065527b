import { expect, it } from 'vitest'
import type { LayoutId } from '../ids.ts'
import { compileLayout } from './compile.ts'
import { loneWheelchairs } from './lone-wheelchairs.ts'

const seat = (number: number, more: object = {}) => ({ row: 'A', number, ...more })
const zone = (name: string, seats: object[]) => ({ name, zone_type: 'reserved_seating', seats })

function warningsOf(...zones: object[]) {
  const compiled = compileLayout('01970000-0000-7000-8000-000000000001' as LayoutId, { zones } as never)
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problem))
  return loneWheelchairs(compiled.value)
}

const wheelchair = { category: 'wheelchair' }
const companion = { category: 'companion' }

it('a wheelchair place without a companion seat is told once per zone; a pair is not', () => {
  const warnings = warningsOf(
    zone('Pairs', [seat(1, { ...wheelchair, companion_seat_label: 'A-2' }), seat(2, companion)]),
    zone('Alone', [seat(1), seat(2, wheelchair), seat(3, wheelchair)]),
  )
  expect(warnings).toEqual([
    {
      path: '/zones/1/seats/1',
      code: 'wheelchair_without_companion',
      message: expect.stringContaining('A-2 has no companion seat'),
    },
  ])
})

it('a companion seat beside the place is enough; one behind an aisle, or of another place, is not', () => {
  const row = (...seats: object[]) => warningsOf(zone('Stalls', seats)).map(({ path }) => path)
  expect(row(seat(1), seat(2, wheelchair), seat(3, companion), seat(4))).toEqual([])
  expect(row(seat(1), seat(2, { ...wheelchair, aisle_after: true }), seat(3, companion), seat(4))).toEqual([
    '/zones/0/seats/1',
  ])
  expect(row(seat(1, wheelchair), seat(2, companion), seat(3, wheelchair))).toEqual(['/zones/0/seats/2'])
  expect(
    row(seat(1, wheelchair), seat(2, companion), seat(3, { ...wheelchair, companion_seat_label: 'A-2' })),
  ).toEqual(['/zones/0/seats/0'])
})
