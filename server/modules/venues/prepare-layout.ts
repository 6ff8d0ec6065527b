import { NewLayoutBody, NewVersionBody } from '@voelgoed/contract/layouts'
import { compileLayout } from '@voelgoed/core/layout/compile'
import { importLayout } from '@voelgoed/core/layout/import/import'
import { loneWheelchairs } from '@voelgoed/core/layout/lone-wheelchairs'
import type { Layout, LayoutConfig, LayoutFault } from '@voelgoed/core/layout/model'
import { refuse } from '@voelgoed/core/result'
import { parseStrictJson } from '@voelgoed/kit/base/strict-json'
import { compileValidation } from '@voelgoed/kit/http/validation'
import type { CompileJob, CompileOutcome } from './compiler.ts'
import type { PreparedLayout } from './tables/layouts.ts'

/** A layout of 250,000 seats has about three million. */
const MAX_VALUES = 8_000_000

const validate = {
  layout: compileValidation(NewLayoutBody),
  version: compileValidation(NewVersionBody),
}

type Body = { name?: string; description?: string | null } & (
  | { config: LayoutConfig }
  | { import: { format: 'pretix' | 'seatsio'; document: unknown } }
)

/** From the bytes of a request to what goes into the database, or to every reason why not. */
export function prepareLayout(job: CompileJob): CompileOutcome {
  const parsed = parseStrictJson(job.body, { maxValues: MAX_VALUES })
  if (!parsed.ok) return refuse({ kind: 'invalid_request', errors: parsed.problem })
  const errors = validate[job.kind](parsed.value)
  if (errors.length > 0) return refuse({ kind: 'invalid_request', errors })

  const body = parsed.value as Body
  let warnings: readonly LayoutFault[] = []
  let config: LayoutConfig
  if ('import' in body) {
    const imported = importLayout(body.import.format, body.import.document)
    if (!imported.ok) {
      return refuse({ kind: 'layout_invalid', errors: below('/import/document', imported.problem) })
    }
    config = imported.value.config
    warnings = below('/import/document', imported.value.warnings)
  } else {
    config = body.config
  }
  const compiled = compileLayout(job.layoutId, config)
  if (!compiled.ok) {
    return refuse({
      kind: 'layout_invalid',
      errors: 'import' in body ? compiled.problem : below('/config', compiled.problem),
    })
  }
  const alone = loneWheelchairs(compiled.value)
  return {
    ok: true,
    value: {
      name: body.name,
      description: body.description,
      warnings: [...warnings, ...('import' in body ? alone : below('/config', alone))],
      prepared: prepare(compiled.value),
    },
  }
}

function below(prefix: string, faults: readonly LayoutFault[]): LayoutFault[] {
  return faults.map(fault => ({ ...fault, path: prefix + fault.path }))
}

/** Rows of one statement: large enough to be quick, small enough not to block the connection for long. */
const SEATS_A_CHUNK = 10_000

function prepare(layout: Layout): PreparedLayout {
  const { priceCategories, focalPoint, outlines } = layout
  const zones = layout.zones.map((zone, position) => ({
    zone_id: zone.zoneId,
    position,
    name: zone.name,
    zone_type: zone.zoneType,
    capacity: zone.capacity,
    access_mode: zone.accessMode,
    membership_tier: zone.membershipTier,
    allowed_roles: zone.allowedRoles,
    allowed_user_ids: zone.allowedUserIds,
    metadata: zone.metadata,
    outline: zone.outline,
    level: zone.level,
    first_ordinal: zone.firstOrdinal,
    seat_count: zone.seatCount,
  }))
  const groups = layout.groups.map((group, position) => ({
    group_id: group.groupId,
    position,
    group_type: group.groupType,
    name: group.name,
    ordinals: group.ordinals,
    metadata: group.metadata,
  }))
  const seatChunks: string[][] = []
  for (let from = 0; from < layout.seats.length; from += SEATS_A_CHUNK) {
    const seats = layout.seats.slice(from, from + SEATS_A_CHUNK)
    seatChunks.push([
      array(seats.map(seat => seat.ordinal)),
      array(seats.map(seat => seat.seatId)),
      array(seats.map(seat => layout.zones[seat.zoneIndex]!.zoneId)),
      array(seats.map(seat => quoted(seat.label))),
      array(seats.map(seat => quoted(seat.row))),
      array(seats.map(seat => quoted(String(seat.number)))),
      array(seats.map(seat => seat.category)),
      array(seats.map(seat => (seat.priceCategory === null ? 'NULL' : quoted(seat.priceCategory)))),
      array(seats.map(seat => seat.x)),
      array(seats.map(seat => seat.y)),
      array(seats.map(seat => seat.companionOrdinal ?? 'NULL')),
      array(seats.map(seat => seat.aisleAfter ?? 'NULL')),
    ])
  }
  return {
    totalCapacity: layout.totalCapacity,
    seatCount: layout.seats.length,
    drawing: JSON.stringify({ priceCategories, focalPoint, outlines }),
    zones: JSON.stringify(zones),
    groups: JSON.stringify(groups),
    seatChunks,
  }
}

function array(values: readonly (string | number | boolean)[]): string {
  return `{${values.join()}}`
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}
