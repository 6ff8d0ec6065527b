import type { Explanation } from '@voelgoed/core/allocation/explain'
import type { Stranding } from '@voelgoed/core/event/decision'
import type { Refusal } from '@voelgoed/core/refusal'
import { type Result, refuse } from '@voelgoed/core/result'
import type { EventHall } from '@voelgoed/engine/view/hot-event'

/** Says what is wrong with a buyer's cart, and what would be better. */
export function warningAnswers(hall: EventHall, stranding: Stranding | null): object[] {
  if (!stranding || stranding.excuse === 'fault') return []
  const { stranded, alternatives } = stranding
  const labels = labelsOf(hall, stranded)
  const subject = labels.length === 1 ? `Seat ${labels[0]}` : `Seats ${labels.join(', ')}`
  return [
    {
      code: 'would_strand_seats',
      message: `${subject} would stay alone.`,
      seat_ids: idsOf(hall, stranded),
      alternatives: alternatives.map(({ change, seats }) => {
        return { change, seat_ids: idsOf(hall, seats), labels: labelsOf(hall, seats) }
      }),
    },
  ]
}

/** The same refusal, with the names of the seats that it offers instead. */
export function withLabels<Value>(
  result: Result<Value, Refusal>,
  hall: EventHall | null,
): Result<Value, Refusal> {
  if (result.ok || result.problem.kind !== 'would_strand_seats' || !hall) return result
  const { map } = hall.seats
  const alternatives = result.problem.alternatives.map(instead => {
    const ordinals = instead.seatIds.map(seatId => map.seatIds.ordinalOf(seatId)!)
    return { ...instead, labels: labelsOf(hall, ordinals) }
  })
  return refuse({ ...result.problem, alternatives })
}

/** Says why the buyer got these seats. */
export function explanationAnswer(hall: EventHall, explanation: Explanation): object {
  const { together, lastResort, clusters, sentence } = explanation
  return {
    together,
    last_resort: lastResort,
    clusters: clusters.map(({ zoneIndex, row, seats }) => {
      const { zoneId, name } = hall.zones[zoneIndex]!
      return {
        zone_id: zoneId,
        zone_name: name,
        row,
        seat_ids: idsOf(hall, seats),
        labels: labelsOf(hall, seats),
      }
    }),
    sentence,
  }
}

function idsOf({ seats }: EventHall, ordinals: readonly number[]): string[] {
  return ordinals.map(ordinal => seats.map.seatIds.at(ordinal))
}

function labelsOf({ seats }: EventHall, ordinals: readonly number[]): string[] {
  return ordinals.map(ordinal => `${seats.rows.at(ordinal)}-${seats.numbers.at(ordinal)}`)
}
