import { createEvent, publishEvent } from '@voelgoed/contract/events'
import { activateLayoutVersion, createLayout, createVenue } from '@voelgoed/contract/layouts'
import type { LayoutConfig } from '@voelgoed/core/layout/model'
import type { Caller } from '../../call-route.ts'
import { Random } from '../../random.ts'

/** As long as it may be: nothing runs out while we measure. */
const LONGEST_TTL_SECONDS = 7_200

/** A buyer may take a thousand seats, whichever they are. */
export const NO_LIMITS = {
  max_seats_per_booking: null,
  max_wheelchair_seats_per_booking: null,
  max_holds_per_user: null,
  max_holds_per_ip: null,
  // Any seat is asked for by itself.
  enforce_accessibility_rules: false,
  orphan_avoidance_strict: false,
  holds_per_window: null,
  default_hold_ttl_seconds: LONGEST_TTL_SECONDS,
}

export interface Hall {
  /** In an order that only follows from the seed. */
  readonly seatIds: readonly string[]
  /** By ordinal. */
  readonly inOrder: readonly string[]
  /** A new event in it, on sale. */
  openEvent(options?: { ttlSeconds?: number }): Promise<string>
}

export async function buildHall(
  caller: Caller,
  token: string,
  { config, seed }: { config: LayoutConfig; seed: number },
): Promise<Hall> {
  const name = `${config.zones.reduce((sum, zone) => sum + (zone.seats?.length ?? 0), 0)} seats`
  const venue = await caller.get(createVenue, { token, body: { name } })
  // Ids of our own choice: then the bench need not read a layout of 200,000 seats to learn them.
  const random = new Random(seed)
  const inOrder: string[] = []
  for (const seat of config.zones.flatMap(zone => zone.seats ?? [])) {
    seat.seat_id = random.uuid()
    inOrder.push(seat.seat_id)
  }
  const layout = await caller.get(createLayout, {
    token,
    params: { venue: venue.data.id },
    bytes: Buffer.from(JSON.stringify({ name, config })),
  })
  const layoutId = layout.data.layout_id
  await caller.get(activateLayoutVersion, { token, params: { layout: layoutId, v: '1' } })
  return {
    inOrder,
    seatIds: random.shuffled(inOrder),
    async openEvent({ ttlSeconds = LONGEST_TTL_SECONDS } = {}) {
      const event = await caller.get(createEvent, {
        token,
        body: {
          name: 'Final',
          venue_id: venue.data.id,
          layout_id: layoutId,
          seating_overrides: { default_hold_ttl_seconds: ttlSeconds },
        },
      })
      await caller.get(publishEvent, { token, params: { event: event.data.id } })
      return event.data.id
    },
  }
}
