const KEPT_AT = 'voelgoed:ticket-types'
const KEPT_EVENTS = 8
/** More than any cart has. */
const KEPT_TYPES = 200

type Types = Readonly<Record<string, string>>

/**
 * Which types of tickets the buyer wants for what they hold of one event. Holds know nothing of them: they
 * are kept in this browser, for its other pages and tabs, and sent with the checkout.
 */
export class TicketChoices {
  readonly #eventId: string
  readonly #closed = new AbortController()
  #types: Types = $state.raw({})

  constructor(eventId: string) {
    this.#eventId = eventId
    this.#types = keptTypes(eventId)
    const onStorage = ({ key }: StorageEvent) => {
      if (key === KEPT_AT) this.#types = keptTypes(eventId)
    }
    window.addEventListener('storage', onStorage, { signal: this.#closed.signal })
  }

  /** By the key of a choice (choices.ts). */
  readonly typeOf = (key: string): string | undefined => this.#types[key]

  choose(types: Types): void {
    this.#keep({ ...this.#types, ...types })
  }

  /** What was released on purpose begins with the first type again. */
  forget(keys: readonly string[]): void {
    if (!keys.some(key => key in this.#types)) return
    this.#keep(Object.fromEntries(Object.entries(this.#types).filter(([key]) => !keys.includes(key))))
  }

  close(): void {
    this.#closed.abort()
  }

  #keep(types: Types): void {
    this.#types = Object.fromEntries(Object.entries(types).slice(-KEPT_TYPES))
    const others = read().filter(([id]) => id !== this.#eventId)
    write([...others, [this.#eventId, this.#types] as const].slice(-KEPT_EVENTS))
  }
}

/** A buyer signs out: the next person at this browser has choices of their own. */
export function forgetTicketChoices(): void {
  write([])
}

function keptTypes(eventId: string): Types {
  const kept = read().find(([id]) => id === eventId)?.[1]
  return typeof kept === 'object' && kept !== null ? kept : {}
}

function read(): readonly (readonly [string, Types])[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEPT_AT) ?? '[]')
    return Array.isArray(kept) ? kept : []
  } catch {
    return []
  }
}

function write(entries: readonly (readonly [string, Types])[]): void {
  try {
    localStorage.setItem(KEPT_AT, JSON.stringify(entries))
  } catch {
    // No room, or not allowed: the types last as long as the page.
  }
}
