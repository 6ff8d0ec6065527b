import type { Data, Refused } from '@voelgoed/client'
import type { Session } from '../../kit/state/session.svelte.ts'
import type { MyHold } from '../event/cart/holdings.svelte.ts'

type Guest = Data<'GET /api/holds/:hold/guests'>['guests'][number]

/** One place of a members' zone. */
export interface MembersPlace {
  readonly hold: MyHold
  /** It counts within its hold, from 0. */
  readonly place: number
  /** As the server has it; null: it is the buyer's own place. */
  readonly known: Guest
}

const keyOf = ({ hold, place }: Pick<MembersPlace, 'hold' | 'place'>) => `${hold.hold_id} ${place}`

/** Keeps who sits in members' zones: the buyer on one place, a guest with an address on each other. */
export class GuestsToName {
  readonly #session: Session
  #places: readonly MembersPlace[] = $state.raw([])
  #typed: Readonly<Record<string, string>> = $state.raw({})
  /** The server, or this page before it asks, says this of one place. */
  #faults: Readonly<Record<string, 'missing' | 'badEmail' | Refused>> = $state.raw({})
  /** Several things may ask for it: the last answer counts. */
  #asked = 0

  constructor(session: Session) {
    this.#session = session
  }

  /** There are none to name where there is one place: it is the buyer's own. */
  get places(): readonly MembersPlace[] {
    return this.#places.length > 1 ? this.#places : []
  }

  emailOf(place: MembersPlace): string {
    const { known } = place
    return this.#typed[keyOf(place)] ?? (known && 'email' in known ? known.email : '')
  }

  /** Named by the id of their account, and nothing else was typed. */
  isMember(place: MembersPlace): boolean {
    return place.known !== null && 'user_id' in place.known && !this.#typed[keyOf(place)]
  }

  faultOf(place: MembersPlace): 'missing' | 'badEmail' | Refused | null {
    return this.#faults[keyOf(place)] ?? null
  }

  type(place: MembersPlace, email: string): void {
    this.#typed = { ...this.#typed, [keyOf(place)]: email }
    this.#faults = {}
  }

  /** Asks which holds want guests. Without an answer none are asked for: the checkout says so then. */
  async load(holds: readonly MyHold[]): Promise<void> {
    // Only accounts can hold places of members.
    if (this.#session.isGuest) return
    this.#asked += 1
    const asked = this.#asked
    // The zone decides whether guests are asked for.
    const firsts = [...new Map(holds.map(hold => [hold.zone_id, hold])).values()]
    const answers = await Promise.all(firsts.map(hold => this.#read(hold)))
    const wanted = new Set(firsts.filter((_, at) => answers[at]?.asks_for_guests).map(hold => hold.zone_id))
    const known = new Map(firsts.map((hold, at) => [hold.hold_id, answers[at]]))
    const ofMembers = holds.filter(hold => wanted.has(hold.zone_id))
    const guests = await Promise.all(
      ofMembers.map(async hold => known.get(hold.hold_id) ?? (await this.#read(hold))),
    )
    if (asked !== this.#asked) return
    this.#places = ofMembers.flatMap((hold, at) =>
      Array.from({ length: 'quantity' in hold ? hold.quantity : 1 }, (_, place) => ({
        hold,
        place,
        known: guests[at]?.guests[place] ?? null,
      })),
    )
  }

  /** Before the server is asked: one place may be the buyer's own. True: the others have a guest. */
  areNamed(): boolean {
    const open = this.places.filter(place => !this.isMember(place) && this.emailOf(place).trim() === '')
    const bad = this.places.filter(place => {
      const email = this.emailOf(place).trim()
      return email !== '' && !/^\S+@\S+\.\S+$/.test(email)
    })
    this.#faults = Object.fromEntries([
      ...open.slice(1).map(place => [keyOf(place), 'missing'] as const),
      ...bad.map(place => [keyOf(place), 'badEmail'] as const),
    ])
    return open.length <= 1 && bad.length === 0
  }

  /** Something that was typed is not what the server has. */
  get isChanged(): boolean {
    return this.#changed.length > 0
  }

  /** Tells the server of the holds whose guests were changed. Throws what it refuses. */
  async save(): Promise<void> {
    for (const hold of this.#changed) {
      const places = this.#places.filter(place => place.hold === hold)
      const guests = places.map(place => {
        const email = this.emailOf(place).trim()
        return email === '' ? (this.isMember(place) ? place.known : null) : { email }
      })
      const params = { hold: hold.hold_id }
      const { client } = this.#session
      const { data } = await this.#session.run(() =>
        client.call('PUT /api/holds/:hold/guests', { params, body: { guests } }),
      )
      this.#places = this.#places.map(place =>
        place.hold === hold ? { ...place, known: data.guests[place.place] ?? null } : place,
      )
    }
  }

  /** A refusal that is about one of the places stands there. True: it is. */
  heed(refused: Refused): boolean {
    const place = this.#places.find(({ hold, place }) =>
      refused.is('guest_not_allowed')
        ? refused.problem.hold_id === hold.hold_id && refused.problem.place === place
        : refused.is('guest_already_named') && refused.problem.place === place && this.#saving === hold,
    )
    if (place) this.#faults = { [keyOf(place)]: refused }
    else if (refused.is('guests_not_named')) return !this.areNamed()
    return place !== undefined
  }

  /** The hold whose guests the server has not taken yet. */
  get #saving(): MyHold | undefined {
    return this.#changed[0]
  }

  get #changed(): readonly MyHold[] {
    const isChanged = (place: MembersPlace) => {
      const { known } = place
      return (
        !this.isMember(place) && this.emailOf(place).trim() !== (known && 'email' in known ? known.email : '')
      )
    }
    return [...new Set(this.#places.filter(isChanged).map(({ hold }) => hold))]
  }

  async #read(hold: MyHold): Promise<Data<'GET /api/holds/:hold/guests'> | null> {
    const params = { hold: hold.hold_id }
    const { client } = this.#session
    const ask = () => client.call('GET /api/holds/:hold/guests', { params })
    return this.#session.run(ask).then(
      ({ data }) => data,
      () => null,
    )
  }
}
