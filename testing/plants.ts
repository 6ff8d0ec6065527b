import type pg from 'pg'
import { readFixtures } from './read-fixtures.ts'

/**
 * A planted violation for each check, by its name: statements as the owner that go around everything that
 * guards the tables. Each plant must be found by the very check it is for; others may find it as well.
 * A module's `plants.fixture.ts` exports those for its own checks as `plants`.
 */
export type Plants = Readonly<Record<string, string>>

export const PLANTS: Plants = Object.assign({}, ...(await readFixtures<Plants>('plants')))

/** Plants as the owner. `unpacked` has the journal as entries, which are packed again afterwards. */
export async function plantIn(client: pg.ClientBase, plant: string): Promise<void> {
  const isOfEntries = plant.includes('unpacked')
  if (isOfEntries)
    await client.query('create temporary table unpacked on commit drop as select * from journal_entries')
  await client.query(plant)
  if (!isOfEntries) return
  const { rows } = await client.query<PlantedEntry>(
    `select organization_id, event_id, seq::float8 as seq, floor(extract(epoch from at) * 1000)::float8 as at,
       kind, command_id, actor_id, source, previous::float8 as previous, body from unpacked`,
  )
  await client.query('delete from journal')
  await client.query(
    `insert into journal (organization_id, event_id, first_seq, last_seq, at, first_command, last_command, by_staff, encoding,
       packed)
     select organization_id, event_id, seq, seq, to_timestamp(at / 1000.0), command_id, command_id, false, 1, packed
     from jsonb_to_recordset($1) as r (organization_id uuid, event_id uuid, seq bigint, at float8, command_id uuid,
       packed text)`,
    [JSON.stringify(rows.map(row => ({ ...row, packed: packedAlone(row) })))],
  )
}

interface PlantedEntry {
  readonly seq: number
  readonly at: number
  readonly kind: string
  readonly command_id: string
  readonly actor_id: string | null
  readonly source: string
  readonly previous: number | null
  readonly body: Readonly<Record<string, unknown>>
}

const OF_HOLD = 'holdId ordinal version zoneIndex quantity'
const OF_SEAT = 'ordinal version zoneIndex reason'
/** Kinds in the order of their numbers in the journal, each with its members. */
const MEMBERS: Readonly<Record<string, string>> = {
  seat_reserved: `${OF_HOLD} userId ip cartToken heldUntil capUntil`,
  seat_hold_extended: `${OF_HOLD} heldUntil capUntil`,
  payment_started: `${OF_HOLD} checkoutId heldUntil`,
  hold_reduced: `${OF_HOLD} freed`,
  hold_transferred: `${OF_HOLD} userId heldUntil capUntil`,
  seat_hold_expired: OF_HOLD,
  seat_released: `${OF_HOLD} reason notes`,
  seat_converted: `${OF_HOLD} userId checkoutId ticketIds`,
  seat_blocked: OF_SEAT,
  seat_unblocked: OF_SEAT,
  event_changed: '',
  companions_released: 'zoneIndex occupied capacity ordinals',
  ticket_voided: 'ticketId ordinal version zoneIndex reason',
  payment_ended: `${OF_HOLD} checkoutId`,
}

/** Packs one entry as core/event/packed-changes.ts does. A kind that no program knows is number 99. */
function packedAlone({ at, kind, command_id, actor_id, source, previous, body }: PlantedEntry): string {
  const { address, userAgent, ...update } = body
  const origin =
    'address' in body || 'userAgent' in body ? [address ?? null, userAgent == null ? null : 0] : []
  const index = Object.keys(MEMBERS).indexOf(kind)
  const names = MEMBERS[kind]?.split(' ').filter(name => name in body) ?? []
  const members = names.map(name => (/Until$/.test(name) ? (body[name] as number) - at : body[name]))
  const chain = MEMBERS[kind]?.startsWith(OF_HOLD) ? [previous ?? 0] : []
  const change = [index < 0 ? 99 : index, 0, ...chain, ...(kind === 'event_changed' ? [update] : members)]
  return JSON.stringify([[[command_id, actor_id, source, ...origin]], [change], [userAgent].filter(Boolean)])
}
