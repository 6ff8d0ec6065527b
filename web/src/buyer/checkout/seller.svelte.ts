import { type Data, Refused } from '@voelgoed/client'
import { keepTrying } from '../../kit/state/keep-trying.ts'
import type { Session } from '../../kit/state/session.svelte.ts'

type Known = Data<'GET /api/organization/seller'>

/**
 * Knows who sells, how to reach them and by which terms. The browser keeps the last answer: whom to call is
 * asked at a gate too, where the network may be away.
 */
export class Seller {
  readonly #session: Session
  #known: Known | null = $state.raw(null)

  constructor(session: Session) {
    this.#session = session
    this.#known = readKept(session.slug)
  }

  /** Null: the server has not said it, to this browser. */
  get known() {
    return this.#known
  }

  /** Needs no session: the page asks before there is one. */
  async load(signal: AbortSignal): Promise<void> {
    const { client, slug } = this.#session
    const input = { query: { organization: slug }, signal }
    const read = () => client.call('GET /api/organization/seller', input)
    try {
      this.#known = (await keepTrying(read, { signal, onTrouble() {} })).data
      keep(slug, this.#known)
    } catch (error) {
      if (!(error instanceof Refused) && !signal.aborted) throw error
    }
  }
}

const keyOf = (slug: string) => `voelgoed:seller:${slug}`

function readKept(slug: string): Known | null {
  try {
    const kept = JSON.parse(localStorage.getItem(keyOf(slug)) ?? 'null') as Known | null
    return typeof kept?.name === 'string' ? kept : null
  } catch {
    return null
  }
}

function keep(slug: string, known: Known): void {
  try {
    localStorage.setItem(keyOf(slug), JSON.stringify(known))
  } catch {
    // No room, or not allowed: the page asks again.
  }
}
