import type { Explanation } from '@voelgoed/core/allocation/explain'
import type { Stranding } from '@voelgoed/core/event/decision'
import type { EventHall } from '../../lane/hot-event.ts'

/** What is wrong with a buyer's cart, and what would be better. */
export function warningAnswers(hall: EventHall, stranding: Stranding | null): object[] {
  if (!stranding) return []
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

/** Why the buyer got these seats. */
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
