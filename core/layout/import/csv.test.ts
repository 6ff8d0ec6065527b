import { describe, expect, it } from 'vitest'
import { compiled, smallTheatre } from '../fixtures/small-theatre.ts'
import { toCsv } from '../to-csv.ts'
import { CSV_TEMPLATE } from './csv.ts'
import { importText } from './import-text.ts'

const read = (text: string) => importText(text, { format: 'csv' })

function imported(text: string) {
  const result = read(text)
  if (!result.ok) throw new Error(JSON.stringify(result.problem))
  return result.value
}

const faultsOf = (text: string) => {
  const result = read(text)
  return result.ok ? [] : result.problem.map(({ path, code }) => `${path} ${code}`)
}
const warningsOf = (text: string) => imported(text).warnings.map(({ path, code }) => `${path} ${code}`)

describe('a layout as CSV', () => {
  it('the template has no faults, and compiles', () => {
    const { config, warnings } = imported(CSV_TEMPLATE)
    expect(warnings).toEqual([])
    const layout = compiled(config)
    expect(layout.zones.map(zone => [zone.name, zone.capacity])).toEqual([
      ['Stalls', 6],
      ['Pit', 300],
    ])
    expect(layout.priceCategories.map(({ key }) => key)).toEqual(['Premium', 'Standard'])
    expect(layout.seats.map(seat => seat.category)[3]).toBe('wheelchair')
    expect(layout.seats[1]!.aisleAfter).toBe(true)
  })

  it('what is exported is read as the same seats', () => {
    const before = compiled(smallTheatre())
    const { config, warnings } = imported(toCsv(before))
    expect(warnings).toEqual([])
    const after = compiled(config)
    const parts = (layout: typeof before) =>
      layout.seats.map(
        ({ seatId, label, row, number, category, priceCategory, x, y, companionOrdinal, aisleAfter }) => ({
          seatId,
          label,
          row,
          number,
          category,
          priceCategory,
          x,
          y,
          companionOrdinal,
          aisleAfter,
        }),
      )
    expect(parts(after)).toEqual(parts(before))
    expect(after.totalCapacity).toBe(before.totalCapacity)
    expect(before.focalPoint).not.toBeNull()
    expect(after.focalPoint).toEqual(before.focalPoint)
    expect(after.zones.map(zone => zone.zoneType)).toEqual(before.zones.map(zone => zone.zoneType))
  })

  it('as spreadsheets write it: semicolons, decimal commas, other names of columns, text in front of formulas', () => {
    const { config } = imported("\ufeffBlock;Row;Number;X;Y;Price category\r\nStalls;A;'-1;1,5;2;Gold\r\n")
    expect(config.zones[0]).toMatchObject({
      name: 'Stalls',
      seats: [{ row: 'A', number: -1, coordinates: { x: 1.5, y: 2 }, price_category: 'Gold' }],
    })
  })

  it('seats without coordinates get places', () => {
    const layout = compiled(imported('section,row,seat\nStalls,A,1\nStalls,A,2\n').config)
    expect(layout.seats[1]!.x - layout.seats[0]!.x).toBe(1)
  })

  it('says what it changed, and at which seat', () => {
    const text = 'section,row,seat,kind,colour\nStalls,A,1,,\nStalls,A,2,throne,\nStalls,A,1,,\n'
    expect(warningsOf(text)).toEqual([
      '/lines/1/4 column_ignored',
      '/lines/3 kind_unknown',
      '/lines/4 label_not_unique',
    ])
    const { places, warnings, config } = imported(text)
    expect(places.of(warnings[1]!)).toEqual({ zoneIndex: 0, seatIndex: 1 })
    expect(places.of(warnings[2]!)).toEqual({ zoneIndex: 0, seatIndex: 2 })
    expect(config.zones[0]!.seats![2]!.label).toBe('A-1 (2)')
  })

  it('a companion that does not fit is left out', () => {
    const text =
      'section,row,seat,kind,companion\nS,A,1,wheelchair,A-2\nS,A,2,companion,\nS,A,3,wheelchair,A-2|A-9\n'
    expect(warningsOf(text)).toEqual(['/lines/4 companion_dropped'])
    const layout = compiled(imported(text).config)
    expect(layout.seats[0]!.companionOrdinal).toBe(1)
  })

  it('says every fault with its line', () => {
    expect(faultsOf('')).toEqual([
      '/lines/1 column_missing',
      '/lines/1 column_missing',
      '/lines/1 column_missing',
    ])
    expect(faultsOf('section,row,seat\n"Stalls,A,1\n')).toEqual(['/lines/2 csv_broken'])
    expect(faultsOf('section,row,seat,x,y\nS,A,1,left,2\nS,,3,,\n,A,4,,\nS,A,5,1,\n')).toEqual([
      '/lines/2/x not_a_number',
      '/lines/3/row missing',
      '/lines/4/section missing',
      '/lines/5/y missing',
    ])
    expect(
      faultsOf('section,row,seat,kind,places\nPit,,,standing,\nPit,,,standing,0\nPit,,,standing,9999999\n'),
    ).toEqual([
      '/lines/2/places missing',
      '/lines/3/places capacity_not_whole',
      '/lines/4/places capacity_too_large',
    ])
    for (const places of ['"1,000"', '1.000', '1e3', '-5', 'many']) {
      const text = `section,row,seat,kind,places\nPit,,,standing,${places}\n`
      expect(faultsOf(text), places).toEqual(['/lines/2/places capacity_not_whole'])
    }
    expect(faultsOf('section,row,seat\n')).toEqual([' nothing_to_book'])
    expect(faultsOf(`section,row,seat\n${'S,A,1\n'.repeat(250_001)}`)).toEqual([' too_many_seats'])
  })
})
