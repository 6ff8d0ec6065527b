import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compiled } from '../fixtures/small-theatre.ts'
import { importText } from './import-text.ts'
import { type SvgOptions, seatNameOf } from './svg-labels.ts'

const AUTO: SvgOptions = { labelFrom: 'auto', rule: 'auto' }
const svg = (inside: string) =>
  `<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg">${inside}</svg>`
const read = (inside: string, options = AUTO) => importText(svg(inside), { format: 'svg', ...options })

function imported(inside: string, options = AUTO) {
  const result = read(inside, options)
  if (!result.ok) throw new Error(JSON.stringify(result.problem))
  compiled(result.value.config)
  return result.value
}

const seatsOf = (inside: string, options = AUTO) =>
  imported(inside, options).config.zones.flatMap(zone =>
    (zone.seats ?? []).map(seat => `${zone.name} ${seat.row}-${seat.number}`),
  )
const messageOf = (text: string) => {
  const result = importText(text, { format: 'svg', ...AUTO })
  return result.ok ? null : result.problem.map(({ code, message }) => `${code}: ${message}`).join()
}

describe('a drawing', () => {
  it('circles are seats, called by their label and by the groups around them', () => {
    expect(
      seatsOf('<circle id="Stalls-A-1" cx="1" cy="1" r="4"/><circle id="Stalls-A-2" cx="9" cy="1" r="4"/>'),
    ).toEqual(['Stalls A-1', 'Stalls A-2'])
    expect(seatsOf('<g id="Circle"><circle id="B-7"/><circle><title>B 8</title></circle></g>')).toEqual([
      'Circle B-7',
      'Circle B-8',
    ])
    expect(
      seatsOf('<g inkscape:label="Box"><g inkscape:label="Row C"><circle inkscape:label="4"/></g></g>'),
    ).toEqual(['Box C-4'])
    expect(seatsOf('<circle data-section="S" data-row="D" data-seat="5"/>')).toEqual(['S D-5'])
    expect(seatsOf('<g id="S"><circle id="A12"/></g>')).toEqual(['S A-12'])
    expect(seatsOf('<svg:circle id="S_x2D_A_x2D_1"/>')).toEqual(['S A-1'])
  })

  it('the rule says what a label is made of, and where it is', () => {
    const groups = ['Level', 'Row 4']
    expect(seatNameOf('12', groups, 'seat')).toEqual({ section: 'Level', row: '4', seat: '12' })
    expect(seatNameOf('AA-12', ['Stalls'], 'row-seat')).toEqual({ section: 'Stalls', row: 'AA', seat: '12' })
    expect(seatNameOf('A-12', ['Stalls'], 'section-row-seat')).toBeNull()
    expect(seatNameOf('', [], 'auto')).toBeNull()
    const both = '<circle id="S-A-1"><title>T-B-2</title></circle>'
    expect(seatsOf(both, { labelFrom: 'id', rule: 'auto' })).toEqual(['S A-1'])
    expect(seatsOf(both, { labelFrom: 'title', rule: 'auto' })).toEqual(['T B-2'])
  })

  it('other shapes are seats when they are marked', () => {
    const marked = '<g class="seats"><rect id="S-A-1" x="10" y="10" width="4" height="6"/></g>'
    const { config, warnings } = imported(`${marked}<rect id="wall" width="5" height="5"/>`)
    expect(config.zones[0]!.seats).toEqual([{ row: 'A', number: 1, coordinates: { x: 12, y: 13 } }])
    expect(warnings.map(({ code }) => code)).toEqual(['shape_ignored'])
    const path = '<path class="seat wheelchair" id="S-A-1" d="M10 10 h4 v6 h-4 z"/>'
    expect(imported(path).config.zones[0]!.seats![0]).toMatchObject({
      category: 'wheelchair',
      coordinates: { x: 12, y: 13 },
    })
    const polygon = '<polygon data-seat="S-A-1" points="0,0 4,0 4,4"/>'
    expect(imported(polygon).config.zones[0]!.seats![0]!.coordinates).toEqual({ x: 2, y: 2 })
  })

  it('transforms are applied', () => {
    const at = (inside: string) => imported(inside).config.zones[0]!.seats![0]!.coordinates
    expect(
      at('<g transform="translate(10 20) scale(2)"><circle id="S-A-1" cx="3" cy="4" r="1"/></g>'),
    ).toEqual({ x: 16, y: 28 })
    expect(at('<circle id="S-A-1" cx="1" cy="0" transform="rotate(90)"/>')).toEqual({ x: 0, y: 1 })
    expect(at('<circle id="S-A-1" cx="1" cy="0" transform="rotate(180 2 2)"/>')).toEqual({ x: 3, y: 4 })
    expect(at('<circle id="S-A-1" cx="1" cy="2" transform="matrix(1,0,0,-1,5,0)"/>')).toEqual({ x: 6, y: -2 })
  })

  it('colours are price categories, the stage is the stage, places have a number', () => {
    const { config } = imported(
      `<g fill="#AABBCC"><circle id="S-A-1"/></g><circle id="S-A-2" style="fill:#123;stroke:none"/>
       <rect id="stage" x="0" y="-20" width="40" height="10"/>
       <rect id="Pit" data-capacity="300" width="40" height="10"/>`,
    )
    expect(config.price_categories!.map(({ key, color }) => [key, color])).toEqual([
      ['#aabbcc', '#aabbcc'],
      ['#112233', '#112233'],
    ])
    expect(config.focal_point).toEqual({ x: 20, y: -15 })
    expect(config.zones[1]).toMatchObject({ name: 'Pit', zone_type: 'ga_standing', capacity: 300 })
    expect(config.outlines![0]!.kind).toBe('stage')
  })

  it('a shape without a label is left out, and a warning says where it is; of two with one label one is renamed', () => {
    const { warnings, places, config } = imported(
      '<circle id="circle123" cx="5" cy="6" r="2"/><circle id="S-A-1" cx="1" cy="1" r="2"/><circle id="S-A-1" cx="9" cy="1" r="2"/>',
    )
    expect(warnings.map(({ path, code }) => `${path} ${code}`)).toEqual([
      '/shapes/0 shape_without_label',
      '/shapes/2 label_not_unique',
    ])
    expect(places.of(warnings[0]!)).toEqual({ point: { x: 5, y: 6 } })
    expect(places.of(warnings[1]!)).toEqual({ zoneIndex: 0, seatIndex: 1 })
    expect(config.zones[0]!.seats![1]!.label).toBe('A-1 (2)')
  })

  it('what is not part of the picture is not read, and nothing of it runs', () => {
    const apart = `<defs><circle id="S-A-9"/></defs><script><![CDATA[ alert(1) ]]></script><style>circle{}</style>
      <foreignObject><circle id="S-A-8"/></foreignObject><g display="none"><circle id="S-A-7"/></g>
      <g style="display : none"><circle id="S-A-6"/></g><!-- <circle id="S-A-5"/> -->`
    expect(seatsOf(`${apart}<circle id="S-A-1"/>`)).toEqual(['S A-1'])
  })

  it('refuses what it can not read: declarations, depth, tags that do not match, what is no drawing', () => {
    const bomb =
      '<!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><svg><circle id="&b;"/></svg>'
    expect(messageOf(bomb)).toMatch(/^svg_broken: The document type has declarations/)
    expect(messageOf('<!DOCTYPE svg PUBLIC "x" "y"><svg><circle id="S-A-1"/></svg>')).toBeNull()
    expect(messageOf(svg('<g>'.repeat(200)))).toMatch(/nested more than 100/)
    expect(messageOf('<svg><g></svg>')).toMatch(/not closed/)
    expect(messageOf('<svg><circle id=1/></svg>')).toMatch(/can not be read/)
    expect(messageOf('<svg>')).toMatch(/ends inside of svg/)
    expect(messageOf('<html></html>')).toMatch(/no SVG/)
    expect(messageOf('')).toMatch(/no SVG/)
    expect(messageOf(svg(''))).toMatch(/^nothing_to_book/)
    expect(messageOf(svg(`<circle id="${'x'.repeat(64_000_000)}"/>`))).toMatch(/^document_too_large/)
  })

  it('answers any text, and any damage to a drawing, without a throw', () => {
    const whole = svg(
      '<g id="S"><circle id="A-1" cx="1" cy="2" r="3" transform="rotate(4)"/><path class="seat" d="M1 2l3 4z" id="A-2"/></g>',
    )
    fc.assert(
      fc.property(fc.nat(whole.length), fc.nat(20), fc.string({ maxLength: 12 }), (at, cut, put) => {
        const damaged = whole.slice(0, at) + put + whole.slice(at + cut)
        const result = importText(damaged, { format: 'svg', ...AUTO })
        if (result.ok) compiled(result.value.config)
        else expect(result.problem.length).toBeGreaterThan(0)
      }),
      { seed: 7, numRuns: 500 },
    )
  })

  it('takes no longer than the text is long', () => {
    for (const text of [
      `<svg ${'a '.repeat(3_000_000)}`,
      `<svg ${"a='"}${'b'.repeat(9_000_000)}`,
      svg('<circle id="S-A-1"/>'.repeat(1)) + '<'.repeat(3_000_000),
    ]) {
      // With the square of so many steps it would take hours.
      runInNewContext('read()', { read: () => messageOf(text) }, { timeout: 120_000 })
    }
  })
})
