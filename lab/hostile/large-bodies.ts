import { generateVenue } from '@voelgoed/core/layout/generate'

const BYTES = 2 * 1024 * 1024

/** As many as fit into 2 MB. */
function fill(one: (index: number) => string, before: string, after: string): Buffer {
  const count = Math.floor((BYTES - before.length - after.length) / (one(99_999).length + 1))
  return Buffer.from(before + Array.from({ length: count }, (_, index) => one(index)).join() + after)
}

const uuid = (index: number) => `0197a000-0000-7000-8000-${String(index).padStart(12, '0')}`
const zones = (inside: string) =>
  `{"name":"x","config":{"zones":[{"name":"Z","zone_type":"reserved_seating",${inside}`
const pretix = '{"name":"x","import":{"format":"pretix","document":{"zones":['
const seatsio = '{"name":"x","import":{"format":"seatsio","document":{"subChart":{'

/**
 * Bodies of 2 MB. The first are large and nothing else; the others are what a layout may be, but with one
 * thing far too often: where a loop runs inside a loop, these take minutes instead of a second.
 */
export const LARGE_BODIES: readonly Buffer[] = [
  Buffer.from(`{"name":"${'x'.repeat(BYTES)}"}`),
  fill(() => '1', '[', ']'),
  fill(index => `"key${index}":null`, '{', '}'),
  Buffer.alloc(BYTES, ' '),
  Buffer.alloc(BYTES, 0),
  Buffer.alloc(BYTES, '['),
  Buffer.alloc(BYTES, '"\\u0000'),
  fill(index => `"${uuid(index)}"`, '{"overrides":{"blocked_seat_ids":[', ']}}'),
  fill(index => `"${uuid(index)}":{"capacity":1}`, '{"overrides":{"zone_overrides":{', '}}}'),

  Buffer.from(JSON.stringify({ name: 'x', config: generateVenue({ kind: 'stadium', seats: 15_000 }) })),
  fill(() => '{}', '{"name":"x","config":{"zones":[', ']}}'),
  fill(() => '{"row":"A","number":1}', zones('"seats":['), ']}]}}'),
  fill(index => `{"row":"A","number":${index},"companion_seat_label":"A-0"}`, zones('"seats":['), ']}]}}'),
  fill(
    index =>
      `{"row":"A","number":${index},"category":"${index ? 'companion' : 'wheelchair'}","companion_seat_label":"A-0"}`,
    zones('"seats":['),
    ']}]}}',
  ),
  fill(
    index => `{"row":"A","number":${index},"category":"${index % 3 ? 'wheelchair' : 'companion'}"}`,
    zones('"seats":['),
    ']}]}}',
  ),
  fill(index => `{"row":"${index}","number":1,"price_category":"p${index}"}`, zones('"seats":['), ']}]}}'),
  fill(index => `"k${index}":1`, zones('"seats":[{"row":"A","number":1}],"metadata":{'), '}}]}}'),
  fill(
    () => '{"group_type":"vip_table","seats":[{"zone":"Z","label":"A-1"}]}',
    zones('"seats":[{"row":"A","number":1}]}],"seat_groups":['),
    ']}}',
  ),
  fill(() => '{"x":0,"y":0}', zones('"seats":[{"row":"A","number":1}],"outline":['), ']}]}}'),

  fill(() => '7', pretix, ']}}}'),
  fill(
    index => `{"seat_number":"1","seat_guid":"g${index}","position":{"x":0,"y":0}}`,
    `${pretix}{"rows":[{"row_number":"1","seats":[`,
    ']}]}]}}}',
  ),
  fill(() => '{"row_number":"1","seats":[{"seat_number":"1"}]}', `${pretix}{"rows":[`, ']}]}}}'),
  fill(() => '{"label":"1","x":0,"y":0}', `${seatsio}"rows":[{"label":"A","seats":[`, ']}]}}}}'),
  fill(() => '{"label":"A","seats":[{"label":"1","x":0,"y":0}]}', `${seatsio}"rows":[`, ']}}}}'),
  fill(
    index => `{"label":"A${index % 2 ? '' : ` (${index})`}","seats":[{"label":"1","x":0,"y":0}]}`,
    `${seatsio}"rows":[`,
    ']}}}}',
  ),
  fill(
    index => `{"label":"1","x":0,"y":0,"${index % 2 ? 'accessible' : 'companionSeat'}":true}`,
    `${seatsio}"rows":[{"label":"A","seats":[`,
    ']}]}}}}',
  ),
  fill(() => '{"label":"S","subChart":{}}', `${seatsio}"sections":[`, ']}}}}'),
  fill(() => '{"label":"G","capacity":1}', `${seatsio}"generalAdmissionAreas":[`, ']}}}}'),
  fill(() => '{"label":"B","x":1,"y":1}', `${seatsio}"booths":[`, ']}}}}'),
]
