import type { EventStatus } from '@voelgoed/core/event/lifecycle'
import { AVAILABLE, HELD, SEAT_STATUSES } from '@voelgoed/core/event/state'
import type { SeatStatusForBuyer } from '@voelgoed/core/event/view'
import type { EventId, SeatId, UserId } from '@voelgoed/core/ids'
import { hasSeats } from '@voelgoed/core/layout/model'
import { overlayZones } from '@voelgoed/core/layout/overlay'
import type { Lanes } from '@voelgoed/engine/lane/lanes'
import type { EpochPoint } from '@voelgoed/engine/tables/epochs'
import { findHolds } from '@voelgoed/engine/tables/holds'
import { readLedger } from '@voelgoed/engine/tables/ledger'
import type { TenantScope } from '@voelgoed/kit/base/tenant'
import type { TenantDoor } from '@voelgoed/kit/postgres/database'
import { findEvent } from '../events/tables/events.ts'
import { findSeat, readZones } from '../venues/tables/layouts.ts'
import type { WarmReads, WarmSeats } from './warm-reads.ts'

export interface ColdReadsDeps {
  readonly database: TenantDoor
  readonly lanes: Pick<Lanes, 'inMemory' | 'lane'>
  /** Null: there is no Redis. */
  readonly warm: WarmReads | null
}

export interface ColdSeat {
  readonly eventStatus: EventStatus
  readonly status: SeatStatusForBuyer
  readonly expiresInMs: number | null
}

/**
 * Reads of events that are not in the memory of this node. Those that come first do not wait until the event
 * is loaded, if Redis can answer; meanwhile it is loaded. Null: it is in memory, or Redis can't tell.
 */
export class ColdReads {
  readonly #deps: ColdReadsDeps

  constructor(deps: ColdReadsDeps) {
    this.#deps = deps
  }

  async seats(scope: TenantScope, eventId: EventId): Promise<WarmSeats | null> {
    const { warm, lanes } = this.#deps
    if (!warm || lanes.inMemory(scope, eventId)) return null
    const found = await warm.seats({ scope, eventId })
    if (found) this.#load(scope, eventId, found.point)
    return found
  }

  async seat(
    scope: TenantScope,
    eventId: EventId,
    { seatId, userId }: { readonly seatId: SeatId; readonly userId: UserId },
  ): Promise<ColdSeat | null> {
    const { database, warm, lanes } = this.#deps
    if (!warm || lanes.inMemory(scope, eventId)) return null
    const place = await database.tenant(scope, async tx => {
      const ledger = await readLedger(tx, eventId)
      const event = ledger && (await findEvent(tx, eventId))
      const seat = event && (await findSeat(tx, event.layoutId, event.layoutVersion, seatId))
      if (!ledger || !event || !seat) return null
      const zones = overlayZones(await readZones(tx, event.layoutId, event.layoutVersion), event.overlay)
      const zone = zones.find(({ zoneId }) => zoneId === seat.zoneId)
      return zone && hasSeats(zone.zoneType)
        ? { ledger, ordinal: seat.ordinal, category: seat.category, isClosed: zone.disabled }
        : null
    })
    if (!place) return null
    const found = await warm.seat({ scope, eventId }, { seatId, ...place })
    if (!found) return null
    this.#load(scope, eventId, found.point)
    // Only memory can tell if a companion seat is kept, and for whom.
    if (place.category === 'companion') return null
    const { hold, now } = found
    const isHeld = hold !== null && now < hold.until
    const code = found.code === HELD && !isHeld ? AVAILABLE : found.code
    const status = code === AVAILABLE && place.isClosed ? 'blocked' : SEAT_STATUSES[code]!
    if (!isHeld) return { eventStatus: found.status, status, expiresInMs: null }
    // Redis never says whose a hold is.
    const owners = await database.tenant(scope, tx => findHolds(tx, [hold.holdId]))
    const isMine = owners.some(owner => owner.status === 'active' && owner.user_id === userId)
    return {
      eventStatus: found.status,
      status: isMine ? 'held_by_me' : 'held',
      expiresInMs: hold.until - now,
    }
  }

  #load(scope: TenantScope, eventId: EventId, told: EpochPoint): void {
    const lane = this.#deps.lanes.lane(scope, eventId)
    // The event may be on its way to memory already, as it was before.
    lane.toldElsewhere(told)
    // A reader that needs it and can't have it gets the error.
    void lane.ready().catch(() => {})
  }
}
