import type { Random } from '../random.ts'
import { type Ids, victimOf } from './ground.ts'
import { TRICKY_DATES, TRICKY_TIMES } from './odd-values.ts'

/** As much of JSON Schema as the contract uses. */
export interface Schema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly minItems?: number
  readonly maxItems?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly format?: string
}

export interface SchemaContext {
  readonly random: Random
  readonly ids: Ids
  readonly slug: string
}

/** A value that the schema lets through: what lies behind the validation is attacked with it. */
export function fromSchema(schema: Schema, context: SchemaContext, name = ''): unknown {
  const { random } = context
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return random.pick(schema.enum)
  if (schema.anyOf) return fromSchema(random.pick(schema.anyOf), context, name)
  switch (schema.type) {
    case 'object':
      return objectFrom(schema, context, name)
    case 'array': {
      const length = Math.min(Math.max(random.below(4), schema.minItems ?? 0), schema.maxItems ?? 4)
      return Array.from({ length }, () => fromSchema(schema.items ?? {}, context, name))
    }
    case 'string':
      return textFrom(schema, context, name)
    case 'integer':
    case 'number': {
      const { minimum = 0, maximum = 1_000_000 } = schema
      return random.pick([minimum, maximum, random.between(minimum, Math.min(maximum, minimum + 100))])
    }
    case 'boolean':
      return random.chance(0.5)
    case 'null':
      return null
    default:
      return random.pick([null, true, 7, 'text', [], {}, { a: [1, { b: null }] }])
  }
}

function objectFrom(schema: Schema, context: SchemaContext, name: string): object {
  const { random } = context
  const members = Object.entries(schema.properties ?? {})
    .filter(([key]) => schema.required?.includes(key) || random.chance(0.4))
    .map(([key, member]) => [key, fromSchema(member, context, key)])
  for (const [pattern, member] of Object.entries(schema.patternProperties ?? {})) {
    for (let count = random.below(3); count > 0; count -= 1) {
      members.push([textFrom({ pattern }, context, name), fromSchema(member, context, name)])
    }
  }
  return Object.fromEntries(members)
}

function textFrom(schema: Schema, context: SchemaContext, name: string): string {
  const { random, ids, slug } = context
  if (schema.format === 'date-time') {
    return random.chance(0.3) ? random.pick(TRICKY_TIMES) : `20${random.between(20, 40)}-03-01T19:30:00Z`
  }
  if (schema.format === 'date') {
    return random.chance(0.3) ? random.pick(TRICKY_DATES) : `2027-03-${random.between(10, 28)}`
  }
  const known = kindOf(name, ids)
  const fitting = [
    ...(name === 'organization' ? [slug] : []),
    ...(known ? [random.pick(ids[known]!)] : []),
    random.uuid(),
    `lab-${random.hex(12)}`,
    `Text ${random.hex(4)}`,
    String(random.between(1, 200)),
    random.hex(1),
  ].filter(text => fits(text, schema))
  if (name === 'email') return random.chance(0.3) ? victimOf(slug) : `${random.hex(12)}@lab.example`
  if (schema.pattern?.includes('{12}') || name === 'organization') return fitting[0] ?? 'x'
  return fitting.length > 0 ? random.pick(fitting) : 'x'
}

/** A member called `venue_id`, `seat_ids` or `disabled_zones` is the id of such a thing. */
export function kindOf(name: string, ids: Ids): string | undefined {
  return Object.keys(ids).find(kind => name.includes(kind))
}

function fits(
  text: string,
  { pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY }: Schema,
): boolean {
  if (text.length < minLength || text.length > maxLength) return false
  return pattern === undefined || new RegExp(pattern).test(text)
}
