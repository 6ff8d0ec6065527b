import { deriveSeatGroupId, isUuid, type LayoutId, type SeatGroupId, type SeatId } from '../ids.ts'
import { compileMetadata } from './check-metadata.ts'
import { checkText, quoted } from './check-text.ts'
import type { SeatIndex } from './compile-seats.ts'
import type { LayoutFaults } from './faults.ts'
import { LAYOUT_LIMITS, type Seat, type SeatGroup, type SeatGroupConfig, type Zone } from './model.ts'

interface Compiled {
  readonly zones: readonly Zone[]
  readonly index: SeatIndex
}

/** A seat may be in several groups; a group stays within one zone. */
export function compileGroups(
  faults: LayoutFaults,
  layoutId: LayoutId,
  configs: readonly SeatGroupConfig[],
  compiled: Compiled,
): SeatGroup[] {
  const zoneIndexes = new Map<string, number>()
  for (const [zoneIndex, { name }] of compiled.zones.entries()) {
    if (!zoneIndexes.has(name)) zoneIndexes.set(name, zoneIndex)
  }
  const firstWithId = new Map<string, number>()
  return configs.map((config, groupIndex) => {
    const path = `/seat_groups/${groupIndex}`
    if (config.name != null) checkText(faults, `${path}/name`, config.name, LAYOUT_LIMITS.nameLength)
    const ordinals = compileMembers(faults, path, config, compiled.index, zoneIndexes)
    const groupId = compileGroupId(faults, layoutId, path, config, compiled.index, ordinals)

    const earlier = firstWithId.get(groupId)
    if (earlier === undefined) firstWithId.set(groupId, groupIndex)
    else {
      const message =
        config.group_id === undefined
          ? `Remove this group: /seat_groups/${earlier} has the same type and seats.`
          : `Give this group an id of its own: /seat_groups/${earlier} has ${groupId} already.`
      faults.add(`${path}/group_id`, 'duplicate_group_id', message)
    }
    return {
      groupId,
      groupType: config.group_type,
      name: config.name ?? null,
      ordinals,
      metadata: compileMetadata(faults, `${path}/metadata`, config.metadata),
    }
  })
}

function compileMembers(
  faults: LayoutFaults,
  path: string,
  config: SeatGroupConfig,
  index: SeatIndex,
  zoneIndexes: ReadonlyMap<string, number>,
): number[] {
  const { seat_ids: ids, seats: labels } = config
  if (ids !== undefined && labels !== undefined) {
    faults.add(path, 'group_seats_given_twice', 'Give either seat_ids or seats, not both.')
    return []
  }
  const field = ids === undefined ? 'seats' : 'seat_ids'
  const members = ids ?? labels
  if (members === undefined) {
    faults.add(path, 'group_seats_missing', 'Name the seats of this group, as seat_ids or as seats.')
    return []
  }
  if (members.length === 0) {
    faults.add(`${path}/${field}`, 'group_empty', 'Add seats to this group, or remove it.')
    return []
  }
  if (members.length > LAYOUT_LIMITS.seatsPerGroup) {
    const message = `Put at most ${LAYOUT_LIMITS.seatsPerGroup} seats in a group; this one has ${members.length}.`
    faults.add(`${path}/${field}`, 'too_many_seats_in_group', message)
    return []
  }

  const ordinals = new Set<number>()
  for (const [memberIndex, member] of members.entries()) {
    const ordinal = findSeat(index, zoneIndexes, member)
    if (ordinal === undefined) {
      const message = `Name a seat of this layout: there is no ${nameOf(member)}.`
      faults.add(`${path}/${field}/${memberIndex}`, 'group_seat_unknown', message)
    } else if (ordinals.has(ordinal)) {
      const message = `Name each seat once: ${nameOf(member)} is in this group already.`
      faults.add(`${path}/${field}/${memberIndex}`, 'group_seat_twice', message)
    } else ordinals.add(ordinal)
  }

  const seats = Array.from(ordinals, ordinal => index.seats[ordinal]!)
  if (seats.some(({ zoneIndex }) => zoneIndex !== seats[0]?.zoneIndex)) {
    const message = 'Keep a group within one zone: make one group for each zone.'
    faults.add(`${path}/${field}`, 'group_spans_zones', message)
  }
  const complete = ordinals.size === members.length
  if (config.group_type === 'wheelchair_pair' && complete && !isWheelchairPair(seats)) {
    const message = 'A wheelchair_pair needs a wheelchair seat and a companion seat.'
    faults.add(`${path}/${field}`, 'wheelchair_pair_incomplete', message)
  }
  return [...ordinals]
}

function findSeat(
  index: SeatIndex,
  zoneIndexes: ReadonlyMap<string, number>,
  member: string | { zone: string; label: string },
): number | undefined {
  if (typeof member === 'string') return index.ordinalsById.get(member.toLowerCase() as SeatId)
  const zoneIndex = zoneIndexes.get(member.zone)
  return zoneIndex === undefined ? undefined : index.ordinalsByLabel[zoneIndex]?.get(member.label)
}

function nameOf(member: string | { zone: string; label: string }): string {
  return typeof member === 'string'
    ? `seat ${quoted(member)}`
    : `seat ${quoted(member.label)} in zone ${quoted(member.zone)}`
}

function isWheelchairPair(seats: readonly Seat[]): boolean {
  const categories = seats.map(({ category }) => category)
  return categories.includes('wheelchair') && categories.includes('companion')
}

function compileGroupId(
  faults: LayoutFaults,
  layoutId: LayoutId,
  path: string,
  { group_id, group_type }: SeatGroupConfig,
  index: SeatIndex,
  ordinals: readonly number[],
): SeatGroupId {
  if (group_id !== undefined) {
    const groupId = group_id.toLowerCase()
    if (isUuid(groupId)) return groupId as SeatGroupId
    faults.add(`${path}/group_id`, 'id_not_uuid', 'Give a UUID, or leave the id out to have it derived.')
  }
  const seatIds = ordinals.map(ordinal => index.seats[ordinal]!.seatId)
  return deriveSeatGroupId(layoutId, group_type, seatIds)
}
