import { describe, expect, it } from 'vitest'
import type { LayoutId } from '../../ids.ts'
import { compileLayout } from '../compile.ts'
import { loneWheelchairs } from '../lone-wheelchairs.ts'
import type { Layout, LayoutConfig } from '../model.ts'
import { drawHall } from './draw-hall.ts'
import { checkPlan, type HallPlan, type SectionPlan, type StandingPlan } from './hall-plan.ts'
import { rowNamer } from './row-names.ts'

const layoutId = '00000000-0000-4000-8000-000000000001' as LayoutId

const section = (changes: Partial<SectionPlan> = {}): SectionPlan => ({
  kind: 'seats',
  name: 'Stalls',
  isBeside: false,
  level: '',
  category: 'Standard',
  rows: 3,
  seats: 6,
  morePerRow: 0,
  rowNames: 'letters',
  firstRow: 'A',
  skipsIAndO: false,
  numbersFrom: 'left',
  numbers: 'all',
  firstNumber: 1,
  aisles: 0,
  aisleWidth: 2,
  wheelchairs: 0,
  wheelchairRow: 'last',
  ...changes,
})
const standing = (changes: Partial<StandingPlan> = {}): StandingPlan => ({
  kind: 'standing',
  name: 'Pit',
  isBeside: false,
  level: '',
  places: 300,
  ...changes,
})
const hall = (changes: Partial<HallPlan> = {}): HallPlan => ({
  stage: 'Stage',
  curve: 0,
  parts: [section()],
  ...changes,
})

function drawn(plan: HallPlan): LayoutConfig {
  const result = drawHall(plan)
  if (!result.ok) throw new Error(JSON.stringify(result.problem))
  return result.value
}

function compiled(plan: HallPlan): Layout {
  const result = compileLayout(layoutId, drawn(plan))
  if (!result.ok) throw new Error(JSON.stringify(result.problem.slice(0, 3)))
  return result.value
}

const row = (config: LayoutConfig, name: string) => config.zones[0]!.seats!.filter(seat => seat.row === name)
const numbers = (config: LayoutConfig, name = 'A') => row(config, name).map(seat => seat.number)
const codes = (plan: HallPlan) => checkPlan(plan).map(({ path, code }) => `${path} ${code}`)

describe('a hall that is described', () => {
  it('has rows and seats as described, and each row is longer by as much as asked', () => {
    const config = drawn(hall({ parts: [section({ rows: 3, seats: 4, morePerRow: 2 })] }))
    expect(['A', 'B', 'C'].map(name => row(config, name).length)).toEqual([4, 6, 8])
    expect(config.price_categories).toEqual([{ key: 'Standard', label: 'Standard', color: null }])
  })

  it('numbers seats from the left or the right, all, odd or even', () => {
    const of = (changes: Partial<SectionPlan>) =>
      numbers(drawn(hall({ parts: [section({ seats: 4, ...changes })] })))
    expect(of({})).toEqual([1, 2, 3, 4])
    expect(of({ numbersFrom: 'right', firstNumber: 10 })).toEqual([13, 12, 11, 10])
    expect(of({ numbers: 'odd', firstNumber: 2 })).toEqual([3, 5, 7, 9])
    expect(of({ numbers: 'even', numbersFrom: 'right' })).toEqual([8, 6, 4, 2])
  })

  it('names rows with letters or numbers, from where it is told', () => {
    const names = (changes: Partial<SectionPlan>, count: number) => {
      const name = rowNamer(section(changes))
      return Array.from({ length: count }, (_, index) => name(index)).join(' ')
    }
    expect(names({ firstRow: 'Y' }, 4)).toBe('Y Z AA AB')
    expect(names({ firstRow: 'G', skipsIAndO: true }, 4)).toBe('G H J K')
    expect(names({ firstRow: 'M', skipsIAndO: true }, 3)).toBe('M N P')
    expect(names({ firstRow: 'I', skipsIAndO: true }, 2)).toBe('J K')
    expect(names({ firstRow: 'ZZ' }, 2)).toBe('ZZ AAA')
    expect(names({ rowNames: 'numbers', firstRow: '9' }, 3)).toBe('9 10 11')
  })

  it('divides rows evenly by aisles, which neighbours do not cross', () => {
    const seats = row(drawn(hall({ parts: [section({ seats: 9, aisles: 2, aisleWidth: 3 })] })), 'A')
    expect(seats.map(seat => (seat.aisle_after ? '|' : '.')).join('')).toBe('..|..|...')
    const [third, fourth] = [seats[2]!.coordinates!, seats[3]!.coordinates!]
    expect(fourth.x - third.x).toBeCloseTo(40)
  })

  it('puts wheelchair places at both ends, each with its companion beside it', () => {
    const plan = hall({ parts: [section({ seats: 8, wheelchairs: 3, wheelchairRow: 'first' })] })
    const layout = compiled(plan)
    expect(
      layout.seats
        .slice(0, 8)
        .map(seat => seat.category[0])
        .join(''),
    ).toBe('wcwcsscw')
    expect(layout.seats[0]!.companionOrdinal).toBe(1)
    expect(layout.seats[7]!.companionOrdinal).toBe(6)
    expect(loneWheelchairs(layout)).toEqual([])
  })

  it('no two seats are nearer than a seat is wide, straight or curved, side by side or behind', () => {
    for (const curve of [0, 15, 60, 100]) {
      const parts = [
        standing(),
        section({ name: 'Left', seats: 8, morePerRow: 1, rows: 6 }),
        section({ name: 'Middle', seats: 14, isBeside: true, aisles: 1, rows: 8 }),
        section({ name: 'Right', seats: 8, morePerRow: 1, rows: 6, isBeside: true }),
        section({ name: 'Circle', seats: 40, rows: 4, morePerRow: -2 }),
      ]
      const { seats } = compiled(hall({ curve, parts }))
      let nearest = Number.POSITIVE_INFINITY
      for (const [index, a] of seats.entries()) {
        for (const b of seats.slice(index + 1)) nearest = Math.min(nearest, Math.hypot(a.x - b.x, a.y - b.y))
      }
      expect(nearest, `curve ${curve}`).toBeGreaterThan(9.9)
    }
  })

  it('a curved row bends around the stage, which touches no seat', () => {
    const config = drawn(hall({ curve: 80, parts: [section({ seats: 30 })] }))
    const first = row(config, 'A').map(seat => seat.coordinates!)
    expect(first[0]!.y).toBeLessThan(first[15]!.y)
    const right = config.outlines![0]!.points[1]!
    expect(first.every(({ x, y }) => Math.abs(x) > right.x + 5 || y > -25)).toBe(true)
  })

  it('a standing zone is a number of places with an outline', () => {
    const config = drawn(hall({ stage: '', parts: [standing({ places: 1_200 })] }))
    expect(config.zones[0]).toMatchObject({ zone_type: 'ga_standing', capacity: 1_200 })
    expect(config.outlines).toBeUndefined()
    expect(compiled(hall({ parts: [standing(), section()] })).totalCapacity).toBe(318)
  })

  it('200,000 seats are drawn', () => {
    const parts = Array.from({ length: 20 }, (_, index) =>
      section({
        name: `Block ${index}`,
        rows: 100,
        seats: 100,
        isBeside: index % 5 !== 0,
        rowNames: 'numbers',
        firstRow: '1',
      }),
    )
    const { zones } = drawn(hall({ curve: 70, parts }))
    expect(zones.reduce((sum, zone) => sum + zone.seats!.length, 0)).toBe(200_000)
  })
})

describe('a plan that can not be drawn', () => {
  it('says where and why', () => {
    expect(codes(hall({ parts: [] }))).toEqual(['/parts no_parts'])
    expect(codes(hall({ curve: 101 }))).toEqual(['/curve number_too_large'])
    expect(codes(hall({ parts: [section(), section()] }))).toEqual(['/parts/1/name duplicate_name'])
    expect(codes(hall({ parts: [section({ name: ' ' })] }))).toEqual(['/parts/0/name text_empty'])
    expect(codes(hall({ parts: [section({ rows: 0 })] }))).toEqual(['/parts/0/rows number_too_small'])
    expect(codes(hall({ parts: [section({ rows: Number.NaN })] }))).toEqual([
      '/parts/0/rows number_not_whole',
    ])
    expect(codes(hall({ parts: [section({ seats: 1.5 })] }))).toEqual(['/parts/0/seats number_not_whole'])
    expect(codes(hall({ parts: [section({ firstRow: '1' })] }))).toEqual(['/parts/0/firstRow row_name_wrong'])
    expect(codes(hall({ parts: [section({ morePerRow: -3 })] }))).toEqual([
      '/parts/0/morePerRow no_seats_left',
    ])
    expect(codes(hall({ parts: [section({ aisles: 6 })] }))).toEqual(['/parts/0/aisles too_many_aisles'])
    expect(codes(hall({ parts: [section({ wheelchairs: 4 })] }))).toEqual([
      '/parts/0/wheelchairs no_room_for_wheelchairs',
    ])
    expect(codes(hall({ parts: [standing({ places: 0 })] }))).toEqual(['/parts/0/places number_too_small'])
    const parts = Array.from({ length: 3 }, (_, index) =>
      section({ name: `${index}`, rows: 500, seats: 200 }),
    )
    expect(codes(hall({ parts }))).toEqual(['/parts too_many_seats'])
    expect(drawHall(hall({ parts: [] })).ok).toBe(false)
  })
})

it('a part with a level is on it; more levels than a layout may have are refused', () => {
  const parts = [section({ level: 'Stalls' }), standing({ level: 'Balcony' })]
  expect(compiled(hall({ parts })).zones.map(({ level }) => level)).toEqual(['Stalls', 'Balcony'])
  const many = Array.from({ length: 21 }, (_, index) => section({ name: `S${index}`, level: `L${index}` }))
  expect(drawHall(hall({ parts: many }))).toMatchObject({ ok: false, problem: [{ code: 'too_many_levels' }] })
})
