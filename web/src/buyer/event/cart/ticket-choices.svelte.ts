import type { Session } from '../../../kit/state/session.svelte.ts'

const KEPT_AT = 'voelgoed:ticket-types'
const KEPT_EVENTS = 8
/** More than any cart has. */
const KEPT_TYPES = 200

type Types = Readonly<Record<string, string>>

/** One person has chosen this for one event. */
interface KeptTypes {
  readonly userId: string
  readonly types: Types
}

/**
 * Keeps the types of tickets that the buyer wants for their holds of one event. Holds know nothing of them:
 * this browser keeps them, for its other pages and tabs, and the checkout sends them.
 */
export class TicketChoices {
  readonly #session: Pick<Session, 'visitor'>
  readonly #eventId: string
  readonly #closed = new AbortController()
  #kept: KeptTypes | null = $state.raw(null)

  constructor(session: Pick<Session, 'visitor'>, eventId: string) {
    this.#session = session
    this.#eventId = eventId
    this.#kept = keptTypes(eventId)
    const onStorage = ({ key }: StorageEvent) => {
      if (key === KEPT_AT) this.#kept = keptTypes(eventId)
    }
    window.addEventListener('storage', onStorage, { signal: this.#closed.signal })
  }

  /** Not kept by Svelte: an answer that comes after the page is left still reads them. */
  get #types(): Types {
    const userId = this.#session.visitor?.user.id
    // A guest who has signed in here: what they had chosen was handed on in the browser's store.
    const kept = this.#kept?.userId === userId ? this.#kept : keptTypes(this.#eventId)
    return kept?.userId === userId ? (kept?.types ?? {}) : {}
  }

  /** By the key of a choice (choices.ts). */
  readonly typeOf = (key: string): string | undefined => this.#types[key]

  choose(types: Types): void {
    this.#keep({ ...this.#types, ...types })
  }

  /** A seat that the buyer released on purpose begins with the first type again. */
  forget(keys: readonly string[]): void {
    if (!keys.some(key => key in this.#types)) return
    this.#keep(Object.fromEntries(Object.entries(this.#types).filter(([key]) => !keys.includes(key))))
  }

  close(): void {
    this.#closed.abort()
  }

  #keep(types: Types): void {
    const userId = this.#session.visitor?.user.id
    if (userId === undefined) return
    this.#kept = { userId, types: Object.fromEntries(Object.entries(types).slice(-KEPT_TYPES)) }
    const others = read().filter(([id]) => id !== this.#eventId)
    write([...others, [this.#eventId, this.#kept] as const].slice(-KEPT_EVENTS))
  }
}

/** A buyer signs out: the next person at this browser has choices of their own. */
export function forgetTicketChoices(userId: string): void {
  write(read().filter(([, kept]) => kept.userId !== userId))
}

/** The same person has another id; what they hold, and its types, are theirs still. */
export function handOnTicketChoices(from: string, to: string): void {
  write(read().map(([id, kept]) => [id, kept.userId === from ? { ...kept, userId: to } : kept]))
}

function keptTypes(eventId: string): KeptTypes | null {
  const kept = read().find(([id]) => id === eventId)?.[1]
  return typeof kept?.types === 'object' ? kept : null
}

function read(): readonly (readonly [string, KeptTypes])[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEPT_AT) ?? '[]')
    return Array.isArray(kept) ? kept : []
  } catch {
    return []
  }
}

function write(entries: readonly (readonly [string, KeptTypes])[]): void {
  try {
    localStorage.setItem(KEPT_AT, JSON.stringify(entries))
  } catch {
    // No room, or not allowed: the types last as long as the page.
  }
}
