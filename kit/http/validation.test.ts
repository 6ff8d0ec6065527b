import { createEvent, listEvents } from '@voelgoed/contract/events'
import { createHolds } from '@voelgoed/contract/holds'
import { createLayout } from '@voelgoed/contract/layouts'
import { bodyLimitOf, type Route } from '@voelgoed/contract/route'
import { routes } from '@voelgoed/contract/routes'
import { waysOn } from '@voelgoed/testing/ways-on'
import { type TSchema, Type } from 'typebox'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { compileValidation } from './validation.ts'

/** A JSON schema, as far as these walks look at it. */
interface Schema {
  readonly type?: string
  readonly pattern?: string
  readonly format?: string
  readonly maxLength?: number
  readonly minLength?: number
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly anyOf?: readonly Schema[]
}

afterEach(() => vi.restoreAllMocks())

describe('patterns of the contract', () => {
  const all = new Set(routes.flatMap(schemasOf).flatMap(patternsOf))

  it.each([...all])('%s reads a text once: no character leads to two ways on', pattern => {
    expect(waysOn(pattern)).toEqual([])
  })

  it.each([
    '^[^\\s@]{1,64}@[^\\s@]+\\.[^\\s@]+$',
    '^(a+)+$',
    '^(a|ab)c?$',
    '^a*a*$',
    '\\S+@',
    '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$',
  ])('%s would be caught', pattern => {
    expect(waysOn(pattern)).not.toEqual([])
  })

  it('belong to texts with a length', () => {
    for (const text of routes.flatMap(schemasOf).flatMap(textsOf)) {
      if (text.pattern !== undefined || text.format !== undefined) expect(text.maxLength).toBeDefined()
    }
  })
})

it('every text in a request has a length', () => {
  const unbounded = routes.flatMap(route =>
    requestSchemas(route)
      .flatMap(textsOf)
      .filter(text => text.maxLength === undefined && text.type === 'string')
      .map(() => `${route.method} ${route.path}`),
  )
  expect(unbounded).toEqual([])
})

describe('a text of the wrong form', () => {
  it('is told the form where the contract names it', () => {
    const validate = compileValidation(listEvents.query!)
    const message = 'must be a whole number from 1 to 200'
    expect(validate({ limit: '0' })).toEqual([{ path: '/limit', message }])
    expect(validate({ limit: '1000' })).toEqual([])
  })
})

describe('a text that is too long', () => {
  it('is refused before any pattern reads it, in every field of every route', () => {
    const read = vi.spyOn(RegExp.prototype, 'exec')
    let fields = 0
    for (const route of routes) {
      const bytes = bodyLimitOf(route)
      for (const schema of requestSchemas(route)) {
        const validate = compileValidation(schema as TSchema)
        for (const document of hostileDocuments(schema, 'a'.repeat(Math.min(bytes, 1024 * 1024)))) {
          read.mockClear()
          const faults = validate(document)
          fields += 1
          expect(faults).not.toEqual([])
          const longest = Math.max(0, ...read.mock.calls.map(([text]) => text.length))
          expect(longest, `${route.method} ${route.path}`).toBeLessThanOrEqual(LONGEST)
        }
      }
    }
    expect(fields).toBeGreaterThan(50)
  })

  it('is told its length and nothing about its form', () => {
    const validate = compileValidation(
      Type.Object({ day: Type.String({ maxLength: 10, format: 'date', pattern: '^2' }) }),
    )
    expect(validate({ day: 'x'.repeat(11) })).toEqual([
      { path: '/day', message: expect.stringContaining('10') },
    ])
    expect(validate({ day: '2026-13-01' })).toEqual([{ path: '/day', message: 'must be a valid date' }])
    expect(validate({ day: '2026-12-01' })).toEqual([])
  })

  it('is not read whole to compare the items of a list', () => {
    const validate = compileValidation(
      Type.Object({ modes: Type.Array(Type.Enum(['open', 'closed']), { uniqueItems: true }) }),
    )
    const read = vi.spyOn(TextEncoder.prototype, 'encode')
    expect(validate({ modes: ['é'.repeat(1024 * 1024)] })).toEqual([
      { path: '/modes/0', message: 'must be one of open, closed' },
    ])
    expect(read).toHaveBeenCalled()
    expect(Math.max(...read.mock.calls.map(([text]) => text!.length))).toBeLessThanOrEqual(10_000)
  })

  it('may be the name of a member, and is not sent back whole', () => {
    const validate = compileValidation(Type.Object({}, { additionalProperties: false }))
    const [fault] = validate({ ['a'.repeat(1024 * 1024)]: 1 })
    expect(fault!.path.length).toBeLessThanOrEqual(10_001)
  })

  it('may be the name of a member of metadata, and is refused or let through, not stumbled over', () => {
    const validate = compileValidation(createLayout.body)
    const metadata = { [`e${'\u0301'.repeat(8 * 1024 * 1024)}`]: 1 }
    const zone = { name: 'Pit', zone_type: 'ga_standing', capacity: 1, metadata }
    expect(() => validate({ name: 'Hall', config: { zones: [zone] } })).not.toThrow()
  })

  it('may have characters of two units', () => {
    const validate = compileValidation(Type.String({ maxLength: 3, pattern: '^\\S+$' }))
    expect(validate('😀😀😀')).toEqual([])
    expect(validate('😀😀😀😀')).not.toEqual([])
  })
})

describe('a body with several forms', () => {
  const ID = '0197a000-0000-7000-8000-000000000001'
  const layout = compileValidation(createLayout.body)
  const holds = compileValidation(createHolds.body)
  const event = compileValidation(createEvent.body)

  it('is judged by the form whose members it has, and by no other', () => {
    const zone = { name: 'Pit', zone_type: 'ga_standin', capacity: 1 }
    expect(layout({ name: 'Hall', config: { zones: [zone] } })).toEqual([
      { path: '/config/zones/0/zone_type', message: expect.stringContaining('must be one of') },
    ])
    expect(holds({ best_available: { quantity: '2' } })).toEqual([
      { path: '/best_available/quantity', message: 'must be integer' },
    ])
    expect(holds({ zone_id: ID })).toEqual([{ path: '', message: 'must have quantity' }])
  })

  it('with members of two forms is told what to remove from the one it has whole', () => {
    expect(holds({ best_available: { quantity: 2 }, zone_id: ID })).toEqual([
      { path: '/zone_id', message: 'is not known here: remove it' },
    ])
  })

  it('with members of none is told what chooses a form', () => {
    expect(holds({})).toEqual([
      { path: '', message: 'must have seat_ids, or zone_id and quantity, or best_available' },
    ])
    expect(layout({ name: 'Hall' })).toEqual([{ path: '', message: 'must have config, or import' }])
    const unknown = compileValidation(Type.Object({ seat: Type.Union([Type.Integer(), Type.String()]) }))
    expect(unknown({ seat: true })).toEqual([{ path: '/seat', message: 'must be number or string' }])
  })

  it('is judged so in lists, and where null would do', () => {
    const body = { name: 'Hamlet', venue_id: ID, layout_id: ID }
    expect(event({ ...body, starts_at: 'x', image_id: 7 })).toEqual([
      { path: '/image_id', message: 'must be string' },
      { path: '/starts_at', message: 'must be a valid date-time' },
    ])
    expect(event({ ...body, days: ['2027-03-01', 'x', { date: 'y' }] })).toEqual([
      { path: '/days/1', message: 'must be a valid date' },
      { path: '/days/2/date', message: 'must be a valid date' },
    ])
  })
})

it('a text with a pattern and without a length is a mistake of ours', () => {
  expect(() => compileValidation(Type.String({ pattern: '^a$' }))).toThrow('maxLength')
})

/**
 * Our own patterns and the library's may read this much: a little more than the longest text of the contract.
 */
const LONGEST =
  2 *
  Math.max(
    ...routes
      .flatMap(schemasOf)
      .flatMap(textsOf)
      .map(text => text.maxLength ?? 0),
  )

function schemasOf(route: Route): Schema[] {
  const answers = Object.values(route.answers).filter(answer => answer !== null)
  return [...requestSchemas(route), ...(answers as Schema[])]
}

function requestSchemas(route: Route): Schema[] {
  return [route.query, route.body].filter(schema => schema !== undefined) as Schema[]
}

function within(schema: Schema): Schema[] {
  const inner = [
    ...(schema.items ? [schema.items] : []),
    ...(schema.anyOf ?? []),
    ...Object.values(schema.properties ?? {}),
    ...Object.values(schema.patternProperties ?? {}),
  ]
  return [schema, ...inner.flatMap(within)]
}

function textsOf(schema: Schema): Schema[] {
  return within(schema).filter(({ type }) => type === 'string')
}

function patternsOf(schema: Schema): string[] {
  return within(schema).flatMap(one => [
    ...(one.pattern === undefined ? [] : [one.pattern]),
    ...Object.keys(one.patternProperties ?? {}),
  ])
}

/** For every place in a schema that takes a text: a document with `text` there, and nothing else. */
function hostileDocuments(schema: Schema, text: string): unknown[] {
  if (schema.type === 'string') return [text]
  return [
    ...(schema.items ? hostileDocuments(schema.items, text).map(item => [item]) : []),
    ...(schema.anyOf ?? []).flatMap(option => hostileDocuments(option, text)),
    ...Object.entries(schema.properties ?? {}).flatMap(([key, member]) =>
      hostileDocuments(member, text).map(value => ({ [key]: value })),
    ),
    ...Object.values(schema.patternProperties ?? {}).flatMap(member =>
      hostileDocuments(member, text).map(value => ({ [crypto.randomUUID()]: value })),
    ),
  ]
}
