import type { MapModel } from '../../map/index.ts'
import type { EventDesk } from '../events/event-desk.svelte.ts'
import { type LiveHold, LiveHolds } from '../holds/live-holds.svelte.ts'
import type { Desk } from '../kit/desk.svelte.ts'
import { type CounterPlace, heldPlace } from './counter-places.ts'

/** Holds that the same member of staff made with the same note: they are sold and released together. */
export interface BoxGroup {
  readonly key: string
  readonly note: string | null
  readonly userId: string
  readonly isMine: boolean
  readonly heldUntil: string
  readonly places: readonly CounterPlace[]
}

/** Shows what staff hold in an event, and holds more. */
export class BoxOffice {
  readonly holds: LiveHolds
  readonly #desk: Desk
  readonly #at: EventDesk
  readonly #living: readonly LiveHold[] = $derived.by(() =>
    (this.holds.loaded.value ?? []).filter(({ checkout_id }) => checkout_id === null),
  )
  readonly groups: readonly BoxGroup[] = $derived.by(() => this.#group(this.#at.hall.value))
  /** By ordinal, of those that this member of staff may sell. */
  readonly mine: ReadonlyMap<number, CounterPlace> = $derived.by(() => this.#seats(({ isMine }) => isMine))
  readonly marked: ReadonlySet<number> = $derived.by(() => new Set(this.#seats(() => true).keys()))

  constructor(desk: Desk, at: EventDesk) {
    this.#desk = desk
    this.#at = at
    this.holds = new LiveHolds(at)
  }

  /** For an effect. */
  open(): () => void {
    return this.holds.open({ source: 'admin' })
  }

  /** Holds places for the box office. Returns them as they are held; refusals are thrown. */
  async hold(
    model: MapModel,
    places: readonly CounterPlace[],
    note: string | null,
    keyOf: (part: string) => string = () => crypto.randomUUID(),
  ): Promise<CounterPlace[]> {
    const held: CounterPlace[] = places.filter(({ holdId }) => holdId !== null)
    const cart = note !== null && { cart_token: note }
    const seats = places.flatMap(({ ordinal, holdId }) =>
      ordinal === null || holdId !== null ? [] : [ordinal],
    )
    const { params, session } = this.#at
    const ask = async (
      part: string,
      body: { seat_ids: string[] } | { zone_id: string; quantity: number },
    ) => {
      const asked = { params, body: { ...body, ...cart }, idempotencyKey: keyOf(part) }
      return (await session.call('POST /api/events/:event/holds', asked)).data.holds
    }
    if (seats.length > 0) {
      const made = await ask('seats', { seat_ids: seats.map(ordinal => model.seatIdOf(ordinal)) })
      const byOrdinal = new Map(places.map(place => [place.ordinal, place]))
      for (const [index, { hold_id }] of made.entries()) {
        held.push({ ...byOrdinal.get(seats[index]!)!, holdId: hold_id })
      }
    }
    for (const place of places) {
      if (place.ordinal !== null || place.holdId !== null) continue
      const { zoneId } = model.zones[place.zoneIndex]!
      const [made] = await ask(place.key, { zone_id: zoneId, quantity: place.quantity })
      held.push({ ...place, holdId: made!.hold_id })
    }
    this.holds.loaded.again()
    return held
  }

  /** The best seats that are free, held at once. Returns their ordinals. */
  async holdBest(model: MapModel, quantity: number): Promise<number[]> {
    const { params, session } = this.#at
    const body = { best_available: { quantity } }
    const idempotencyKey = crypto.randomUUID()
    const { data } = await session.call('POST /api/events/:event/holds', { params, body, idempotencyKey })
    this.holds.loaded.again()
    return data.holds.flatMap(hold =>
      'seat_id' in hold ? (model.ordinalOf(hold.seat_id, { zoneId: hold.zone_id }) ?? []) : [],
    )
  }

  /**
   * Some minutes more for what this member of staff holds in the event: it is one cart. Says whether there
   * were any left to give.
   */
  async extend({ places, heldUntil }: BoxGroup): Promise<boolean> {
    const hold = places[0]!.holdId!
    const { data } = await this.#at.session.call('POST /api/holds/:hold/extend', { params: { hold } })
    this.holds.loaded.again()
    return Date.parse(data.held_until) > Date.parse(heldUntil)
  }

  async release({ places }: BoxGroup): Promise<void> {
    const hold_ids = places.flatMap(({ holdId }) => holdId ?? [])
    await this.#at.session.call('POST /api/admin/seats/release', {
      body: { hold_ids, notes: this.#desk.words.box.title },
    })
    this.holds.loaded.again()
  }

  #group(model: MapModel | null): BoxGroup[] {
    if (!model) return []
    const me = this.#desk.session.member?.user.id
    const groups = new Map<string, BoxGroup & { places: CounterPlace[] }>()
    for (const hold of this.#living) {
      const place = heldPlace(model, hold)
      if (!place) continue
      const { user_id: userId, cart_token: note } = hold
      const key = `${userId} ${note ?? ''}`
      const known = groups.get(key)
      if (known) known.places.push(place)
      else {
        const isMine = userId === me
        groups.set(key, { key, note, userId, isMine, heldUntil: hold.held_until, places: [place] })
      }
    }
    for (const { places } of groups.values()) places.sort((a, b) => (a.ordinal ?? 0) - (b.ordinal ?? 0))
    return [...groups.values()]
  }

  #seats(isWanted: (group: BoxGroup) => boolean): Map<number, CounterPlace> {
    const places = this.groups.filter(isWanted).flatMap(group => group.places)
    return new Map(places.flatMap(place => (place.ordinal === null ? [] : [[place.ordinal, place] as const])))
  }
}
