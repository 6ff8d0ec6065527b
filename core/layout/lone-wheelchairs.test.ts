import { expect, it } from 'vitest'
import type { LayoutId } from '../ids.ts'
import { compileLayout } from './compile.ts'
import { loneWheelchairs } from './lone-wheelchairs.ts'

const seat = (number: number, more: object = {}) => ({ row: 'A', number, ...more })
const zone = (name: string, seats: object[]) => ({ name, zone_type: 'reserved_seating', seats })

it('a wheelchair place without a companion seat is told once per zone; a pair is not', () => {
  const compiled = compileLayout(
    '01970000-0000-7000-8000-000000000001' as LayoutId,
    {
      zones: [
        zone('Pairs', [
          seat(1, { category: 'wheelchair', companion_seat_label: 'A-2' }),
          seat(2, { category: 'companion' }),
        ]),
        zone('Alone', [seat(1), seat(2, { category: 'wheelchair' }), seat(3, { category: 'wheelchair' })]),
      ],
    } as never,
  )
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problem))
  expect(loneWheelchairs(compiled.value)).toEqual([
    {
      path: '/zones/1/seats/1',
      code: 'wheelchair_without_companion',
      message: expect.stringContaining('A-2 has no companion seat'),
    },
  ])
})
