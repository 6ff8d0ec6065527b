import { createHash } from 'node:crypto'
import { rankOf, saleOf } from '@voelgoed/core/layout/meaning'
import { hasSeats, type Zone } from '@voelgoed/core/layout/model'
import { type EventZone, overlayZones } from '@voelgoed/core/layout/overlay'
import { canonicalNumber } from '@voelgoed/core/layout/seat-number'
import { seatConfig, zoneConfig } from '@voelgoed/core/layout/to-config'
import type { KeptEvent } from '@voelgoed/engine/ports/event-source'
import type { TenantScope } from '@voelgoed/kit/base/tenant'
import { type Encoding, type FinishedDocument, GrowingDocument } from '@voelgoed/kit/http/growing-document'
import type { Database } from '@voelgoed/kit/postgres/database'
import { documentKey, type SharedDocument } from '@voelgoed/kit/redis/keys'
import { MapMaker } from './map-maker.ts'
import type { SharedDocuments } from './shared-documents.ts'
import {
  findLayoutVersion,
  type GroupRow,
  type LayoutVersion,
  readGroups,
  readSeats,
  readZones,
  type SeatRow,
} from './tables/layouts.ts'
import { readSeatPages } from './tables/seat-pages.ts'

/** Writes a document piece by piece; false when there is nothing to write. */
type Render = (write: (piece: string | Uint8Array) => void) => Promise<boolean>

/** An event says this of its layout. */
type Event = Pick<KeptEvent, 'id' | 'layoutId' | 'layoutVersion' | 'layoutMadeAt' | 'overlay'>

/** A document comes from here. */
interface Source {
  /** Under which key nodes share it; left out: they do not. */
  sharedKey?(): Promise<string | null>
  readonly render: Render
}

const MAX_CACHED_BYTES = 128 * 1024 * 1024

export interface LayoutDocumentsDeps {
  readonly database: Database
  /** Null: there is no Redis, and each node makes its own. */
  readonly shared: SharedDocuments | null
  /** A document that was not in memory is there now: it was taken from Redis, or made. */
  onReady(from: 'redis' | 'made', ms: number): void
}

/**
 * Layouts as they go over the wire. A version never changes, so each document is made once, compressed once
 * and kept; a caller that asks meanwhile waits for the same one. The memory for it is bounded. What buyers
 * see is taken from Redis if another node has made it.
 *
 * Seats are read a page at a time, turned into text, hashed and handed to the compressor at once: at no time
 * are there 200,000 seats as objects, nor a pause of the event loop that grows with the hall.
 */
export class LayoutDocuments {
  readonly #database: Database
  readonly #deps: LayoutDocumentsDeps
  readonly #mapMaker = new MapMaker()
  readonly #ready = new Map<string, FinishedDocument>()
  readonly #making = new Map<string, Promise<FinishedDocument | null>>()
  #cachedBytes = 0
  readonly counts = { hits: 0, misses: 0 }

  constructor(deps: LayoutDocumentsDeps) {
    this.#deps = deps
    this.#database = deps.database
  }

  /** Buyers see this: the layout with the event's overlay applied. */
  async ofEvent(scope: TenantScope, event: Event, encoding: Encoding): Promise<FinishedDocument | null> {
    return this.#get(eventKey(scope, event), encoding, {
      sharedKey: () => this.#sharedKey(scope, event, 'layout', encoding),
      render: write => this.#renderForEvent(scope, event, write),
    })
  }

  /** The same for a screen: core/map/format.ts. */
  async mapOfEvent(
    scope: TenantScope,
    event: Event,
    encoding: Encoding,
  ): Promise<FinishedDocument | 'busy' | null> {
    const key = `${eventKey(scope, event)}/map`
    const known = `${key}/${encoding}`
    const isNew = !this.#ready.has(known) && !this.#making.has(known)
    if (isNew && !this.#mapMaker.hasRoomFor(scope.organizationId)) return 'busy'
    return this.#get(key, encoding, {
      sharedKey: () => this.#sharedKey(scope, event, 'map', encoding),
      render: write => this.#renderMap(scope, event, write),
    })
  }

  /** Administrators see this: a version in the form in which it can be sent again. */
  async ofVersion(
    scope: TenantScope,
    version: LayoutVersion,
    encoding: Encoding,
  ): Promise<FinishedDocument | null> {
    const key = `${scope.organizationId}/${version.layoutId}/${version.version}/${version.status}/${version.updatedAt.getTime()}`
    return this.#get(key, encoding, { render: write => this.#renderConfig(scope, version, write) })
  }

  close(): Promise<void> {
    return this.#mapMaker.close()
  }

  async #get(documentKey: string, encoding: Encoding, source: Source): Promise<FinishedDocument | null> {
    const key = `${documentKey}/${encoding}`
    const ready = this.#ready.get(key)
    if (ready) {
      this.counts.hits += 1
      this.#ready.delete(key)
      this.#ready.set(key, ready)
      return ready
    }
    this.counts.misses += 1
    let making = this.#making.get(key)
    if (!making) {
      making = this.#obtain(key, encoding, source).finally(() => this.#making.delete(key))
      this.#making.set(key, making)
    }
    return making
  }

  async #obtain(
    key: string,
    encoding: Encoding,
    { sharedKey, render }: Source,
  ): Promise<FinishedDocument | null> {
    const startedAt = performance.now()
    const { shared, onReady } = this.#deps
    // A document that is not compressed is for few callers, and large.
    const place = shared && encoding !== 'identity' ? ((await sharedKey?.()) ?? null) : null
    const found = place === null ? null : await shared!.find(place, encoding)
    const document = found ?? (await made(encoding, render))
    if (!document) return null
    if (place !== null && !found) shared!.keep(place, document)
    onReady(found ? 'redis' : 'made', performance.now() - startedAt)
    this.#remember(key, document)
    return document
  }

  #remember(key: string, document: FinishedDocument): void {
    this.#ready.set(key, document)
    this.#cachedBytes += document.bytes.length
    for (const [oldKey, old] of this.#ready) {
      if (this.#cachedBytes <= MAX_CACHED_BYTES || oldKey === key) break
      this.#ready.delete(oldKey)
      this.#cachedBytes -= old.bytes.length
    }
  }

  /** Nodes share a document of this event by this key. Null: its layout does not exist. */
  async #sharedKey(
    scope: TenantScope,
    { layoutId, layoutVersion, overlay }: Event,
    form: SharedDocument['form'],
    encoding: Encoding,
  ): Promise<string | null> {
    const found = await this.#database.tenant(scope, tx => findLayoutVersion(tx, layoutId, layoutVersion))
    if (!found) return null
    const { version, createdAt } = found
    const overlayDigest = digestOf(overlay)
    return documentKey(scope, { layoutId, version, createdAt, form, overlayDigest, encoding })
  }

  #renderForEvent(scope: TenantScope, event: Event, write: (text: string) => void): Promise<boolean> {
    return this.#database.tenant(scope, async tx => {
      const version = await findLayoutVersion(tx, event.layoutId, event.layoutVersion)
      if (!version) return false
      const zones = overlayZones(await readZones(tx, event.layoutId, event.layoutVersion), event.overlay)
      const { drawing } = version
      const open = zones.filter(zone => !zone.disabled)
      const outlines = [
        ...open
          .filter(zone => zone.outline)
          .map(zone => ({
            kind: 'zone',
            zone_id: zone.zoneId,
            label: zone.name,
            points: zone.outline,
          })),
        ...drawing.outlines.map(outline => ({ ...outline, zone_id: null })),
      ]
      const head = {
        layout_id: version.layoutId,
        version: version.version,
        ...(drawing.focalPoint && { focal_point: drawing.focalPoint }),
        ...(outlines.length > 0 && { outlines }),
        price_categories: drawing.priceCategories,
      }
      const seats = readSeats(tx, event.layoutId, event.layoutVersion)
      write(`{"data":${JSON.stringify(head).slice(0, -1)},"zones":`)
      const describe = (zone: EventZone) => (zone.disabled ? null : zoneForBuyers(zone))
      await renderZones(zones, seats, describe, seatForBuyers, write)
      const groups = groupsForBuyers(await readGroups(tx, event.layoutId, event.layoutVersion), open)
      write(groups.length > 0 ? `,"seat_groups":${JSON.stringify(groups)}}}` : '}}')
      return true
    })
  }

  #renderMap(scope: TenantScope, event: Event, write: (bytes: Uint8Array) => void): Promise<boolean> {
    return this.#mapMaker.make(scope.organizationId, async encode => {
      const underway = await this.#database.tenant(scope, async tx => {
        const version = await findLayoutVersion(tx, event.layoutId, event.layoutVersion)
        if (!version) return null
        const zones = overlayZones(await readZones(tx, event.layoutId, event.layoutVersion), event.overlay)
        const plan = {
          layoutId: version.layoutId,
          version: version.version,
          ordinals: version.seatCount,
          // The users on a whitelist stay private, and of the metadata only the rank means something.
          zones: zones.map(zone => ({ ...zone, allowedUserIds: [], metadata: { rank: rankOf(zone) } })),
          ...version.drawing,
          groups: (await readGroups(tx, event.layoutId, event.layoutVersion)).map(toGroup),
        }
        return encode(plan, readSeatPages(tx, version))
      })
      if (!underway) return false
      write(await underway.encoded)
      return true
    })
  }

  #renderConfig(scope: TenantScope, version: LayoutVersion, write: (text: string) => void): Promise<boolean> {
    return this.#database.tenant(scope, async tx => {
      const zones = await readZones(tx, version.layoutId, version.version)
      const groups = await readGroups(tx, version.layoutId, version.version)
      const { drawing } = version
      const head = {
        layout_id: version.layoutId,
        venue_id: version.venueId,
        name: version.name,
        description: version.description,
        version: version.version,
        status: version.status,
        total_capacity: version.totalCapacity,
        seat_count: version.seatCount,
        created_at: version.createdAt.toISOString(),
        updated_at: version.updatedAt.toISOString(),
      }
      const seatIds: string[] = []
      const describeSeat = (seat: SeatRow) => {
        if (groups.length > 0) seatIds[seat.ordinal] = seat.seat_id
        return exportedSeat(seat)
      }
      const seats = readSeats(tx, version.layoutId, version.version)
      write(`{"data":${JSON.stringify(head).slice(0, -1)},"config":{"zones":`)
      await renderZones(zones, seats, zoneConfig, describeSeat, write)
      const rest = {
        ...(groups.length > 0 && {
          seat_groups: groups.map(({ ordinals, ...group }) => ({
            ...group,
            seat_ids: ordinals.map(ordinal => seatIds[ordinal]),
          })),
        }),
        price_categories: drawing.priceCategories,
        ...(drawing.focalPoint && { focal_point: drawing.focalPoint }),
        ...(drawing.outlines.length > 0 && { outlines: drawing.outlines }),
      }
      write(`,${JSON.stringify(rest).slice(1)}}}`)
      return true
    })
  }
}

async function made(encoding: Encoding, render: Render): Promise<FinishedDocument | null> {
  const growing = new GrowingDocument(encoding)
  return (await render(piece => growing.write(piece))) ? growing.finish() : null
}

/** Digests everything in an overlay that documents show: they do not say which seats are blocked. */
function digestOf({ blocked_seat_ids: _, ...shown }: Event['overlay']): string {
  return createHash('sha256').update(JSON.stringify(shown)).digest('base64url').slice(0, 27)
}

/** By what it is made of, not by its numbers: Postgres may lose a version or an overlay, and count again. */
function eventKey({ organizationId }: TenantScope, event: Event): string {
  const { id, layoutId, layoutVersion, layoutMadeAt, overlay } = event
  const made = layoutMadeAt.getTime()
  return `${organizationId}/${id}/${layoutId}/${layoutVersion}/${made}/${digestOf(overlay)}`
}

/**
 * A JSON array of zones, each with its seats. Seats come in the order of their ordinals and zones own ranges
 * of them, so one pass over both is enough. `describeZone` gives null for a zone that is left out.
 */
async function renderZones<Z extends Zone>(
  zones: readonly Z[],
  pages: AsyncGenerator<SeatRow[]>,
  describeZone: (zone: Z) => object | null,
  describeSeat: (seat: SeatRow) => object,
  write: (text: string) => void,
): Promise<void> {
  let text = '['
  let opened = 0
  let isShown = false
  let shownZones = 0
  let shownSeats = 0
  let end = 0
  const openNext = () => {
    const zone = zones[opened]!
    const head = describeZone(zone)
    if (isShown) text += ']}'
    isShown = head !== null
    end = zone.firstOrdinal + originalSeatCount(zones, opened)
    opened += 1
    shownSeats = 0
    if (head) text += `${shownZones++ > 0 ? ',' : ''}${JSON.stringify(head).slice(0, -1)},"seats":[`
  }
  for await (const page of pages) {
    for (const seat of page) {
      while (opened === 0 || seat.ordinal >= end) openNext()
      if (!isShown || !hasSeats(zones[opened - 1]!.zoneType)) continue
      text += `${shownSeats++ > 0 ? ',' : ''}${JSON.stringify(describeSeat(seat))}`
    }
    write(text)
    text = ''
  }
  while (opened < zones.length) openNext()
  write(`${text}${isShown ? ']}' : ''}]`)
}

/** An overlay may take the chairs out of a zone, but their ordinals stay where they are. */
function originalSeatCount(zones: readonly Zone[], index: number): number {
  const next = zones[index + 1]
  return next ? next.firstOrdinal - zones[index]!.firstOrdinal : Number.POSITIVE_INFINITY
}

function zoneForBuyers(zone: EventZone): object {
  const rank = rankOf(zone)
  return {
    zone_id: zone.zoneId,
    name: zone.name,
    zone_type: zone.zoneType,
    capacity: zone.capacity,
    access_mode: zone.accessMode,
    membership_tier: zone.membershipTier,
    // The users on a whitelist stay private; what would give access is public.
    allowed_roles: zone.allowedRoles,
    pricing_rule_id: zone.pricingRuleId,
    ...(rank !== 0 && { rank }),
    ...(zone.level !== null && { level: zone.level }),
  }
}

function toGroup({ group_type: groupType, ordinals, metadata }: GroupRow) {
  return { groupType, ordinals, metadata }
}

/** Shows the groups that are sold in a way of their own, in zones that are open and have their chairs. */
function groupsForBuyers(groups: readonly GroupRow[], open: readonly EventZone[]): object[] {
  const seated = open.filter(({ seatCount }) => seatCount > 0)
  return groups.flatMap(group => {
    const sale = saleOf(toGroup(group))
    const { group_type, ordinals } = group
    if (sale === null || !isWithin(seated, ordinals[0]!)) return []
    return [{ group_type, ...(sale === 'whole' && { sell: sale }), ordinals }]
  })
}

/** Zones own ranges of ordinals, one after the other. */
function isWithin(seated: readonly EventZone[], ordinal: number): boolean {
  let [low, high] = [0, seated.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (seated[middle]!.firstOrdinal + seated[middle]!.seatCount <= ordinal) low = middle + 1
    else high = middle
  }
  return low < seated.length && seated[low]!.firstOrdinal <= ordinal
}

function seatForBuyers(seat: SeatRow): object {
  return {
    seat_id: seat.seat_id,
    label: seat.label,
    row: seat.row_label,
    number: canonicalNumber(seat.number),
    category: seat.category,
    ordinal: seat.ordinal,
    coordinates: { x: seat.x, y: seat.y },
    companion_seat_id: seat.companion_seat_id,
    price_category: seat.price_category,
    ...(seat.aisle_after !== null && { aisle_after: seat.aisle_after }),
  }
}

function exportedSeat(row: SeatRow): object {
  const { seat_id, row_label, price_category } = row
  const seat = {
    ...row,
    seatId: seat_id,
    row: row_label,
    number: canonicalNumber(row.number),
    priceCategory: price_category,
    aisleAfter: row.aisle_after,
  }
  return seatConfig(seat, row.companion_labels)
}
