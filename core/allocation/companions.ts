import type { Rows } from './rows.ts'

interface PairedSeat {
  readonly zoneIndex: number
  readonly category: string
  readonly companionOrdinal: number | null
}

/**
 * Pairs wheelchair places with their companion seats, by position. A companion seat belongs to one wheelchair
 * place at most.
 */
export interface Companions {
  /** The companion seats of a wheelchair place, in order. */
  readonly seatsOf: ReadonlyMap<number, readonly number[]>
  /** A companion seat has its wheelchair place here. */
  readonly placeOf: ReadonlyMap<number, number>
  /** Zones that have companion seats. */
  readonly zones: readonly number[]
}

/**
 * Pairs are what the layout says. Where it says nothing of a companion seat, the seat belongs to the
 * wheelchair place beside it; between two of them, to the one without a companion, else to the first.
 */
export function pairsOf(seats: readonly PairedSeat[], { ordinals, positions, runOf }: Rows): Companions {
  const seatsOf = new Map<number, number[]>()
  const placeOf = new Map<number, number>()
  const pair = (place: number, companion: number) => {
    placeOf.set(companion, place)
    seatsOf.set(
      place,
      [...(seatsOf.get(place) ?? []), companion].sort((a, b) => a - b),
    )
  }
  const alone: number[] = []
  for (const [at, ordinal] of ordinals.entries()) {
    const { category, companionOrdinal } = seats[ordinal]!
    if (category !== 'companion') continue
    if (companionOrdinal === null) alone.push(at)
    else pair(positions[companionOrdinal]!, at)
  }
  for (const at of alone) {
    const beside = [at - 1, at + 1].filter(
      place => runOf[place] === runOf[at] && seats[ordinals[place]!]?.category === 'wheelchair',
    )
    const place = beside.find(one => !seatsOf.has(one)) ?? beside[0]
    if (place !== undefined) pair(place, at)
  }
  const zones = new Set<number>()
  for (const at of placeOf.keys()) zones.add(seats[ordinals[at]!]!.zoneIndex)
  return { seatsOf, placeOf, zones: [...zones].sort((a, b) => a - b) }
}
