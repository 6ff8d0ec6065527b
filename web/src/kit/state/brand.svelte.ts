import type { Data } from '@voelgoed/client'
import type { Session } from './session.svelte.ts'

type Known = Data<'GET /api/organization'>

/**
 * Knows how an organization looks. The document says it for pages that everyone may see; the other pages keep
 * what the server said last, until it says it again.
 */
export class Brand {
  readonly #session: Session
  #known: Known | null = $state.raw(null)
  #isFresh = false

  constructor(session: Session) {
    this.#session = session
    const inDocument = readDocument()
    this.#isFresh = inDocument?.slug === session.slug
    this.#known = this.#isFresh ? inDocument : readKept(session.slug)
    if (this.#isFresh) keep(this.#known!)
  }

  get colour(): string | null {
    return this.#known?.colour ?? null
  }

  get name(): string | null {
    return this.#known?.name ?? null
  }

  get logo(): Known['logo'] {
    return this.#known?.logo ?? null
  }

  get cover(): Known['cover'] {
    return this.#known?.cover ?? null
  }

  /** Asks the server once, as the visitor that there is. Without an answer the page stays as it is. */
  async refresh(): Promise<void> {
    if (this.#isFresh) return
    this.#isFresh = true
    try {
      const { data } = await this.#session.client.call('GET /api/organization')
      this.#known = data
      keep(data)
    } catch {
      this.#isFresh = false
    }
  }
}

/** See server/modules/pages/page-head.ts. */
function readDocument(): Known | null {
  return parsed(document.querySelector<HTMLMetaElement>('meta[name="brand"]')?.content ?? null)
}

const keyOf = (slug: string) => `voelgoed:brand:${slug}`

function readKept(slug: string): Known | null {
  try {
    return parsed(localStorage.getItem(keyOf(slug)))
  } catch {
    return null
  }
}

function keep(known: Known): void {
  try {
    localStorage.setItem(keyOf(known.slug), JSON.stringify(known))
  } catch {
    // No room, or not allowed: the page asks again.
  }
}

function parsed(text: string | null): Known | null {
  try {
    const known = JSON.parse(text ?? 'null') as Known | null
    return typeof known?.slug === 'string' ? known : null
  } catch {
    return null
  }
}
