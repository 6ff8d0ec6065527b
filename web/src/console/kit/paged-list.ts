import { Refused } from '@voelgoed/client'
import { untrack } from 'svelte'
import { createSubscriber } from 'svelte/reactivity'
import { keepTrying } from '../../kit/state/keep-trying.ts'

interface PageOf<Row> {
  readonly data: readonly Row[]
  readonly next: string | null
}

/** Asks for one page: the first one, or the one after what was read. */
type ReadPage<Row> = (after: { readonly after?: string }, signal: AbortSignal) => Promise<PageOf<Row>>

/**
 * A list that the server gives in pages, of one filter at a time. One question is open at a time: a new one
 * ends the one before, so that no page of an old filter is added to the list of a new one.
 */
export class PagedList<Row> {
  #rows: readonly Row[] | null = null
  #next: string | null = null
  #refused: Refused | null = null
  #isTrouble = false
  #isBusy = false
  #asking: AbortController | null = null
  #read: ReadPage<Row> | null = null
  #tell = () => {}
  readonly #subscribe = createSubscriber(update => {
    this.#tell = update
    return () => {
      this.#tell = () => {}
    }
  })

  /** Null: nothing was told yet, or the last filter was refused. */
  get rows(): readonly Row[] | null {
    this.#subscribe()
    return this.#rows
  }

  get hasMore(): boolean {
    this.#subscribe()
    return this.#next !== null
  }

  /** A page is on its way. */
  get isBusy(): boolean {
    this.#subscribe()
    return this.#isBusy
  }

  get refused(): Refused | null {
    this.#subscribe()
    return this.#refused
  }

  /** The server does not answer; it is asked again. */
  get isTrouble(): boolean {
    this.#subscribe()
    return this.#isTrouble
  }

  /** For an effect, which reads the filter first: what `read` reads does not make it run again. */
  open(read: ReadPage<Row>): () => void {
    this.#read = read
    untrack(() => void this.#fill(read, 0))
    return () => this.#asking?.abort()
  }

  /** Asks once more, for as many rows as are shown, and keeps those meanwhile. */
  again(): void {
    if (this.#read) void this.#fill(this.#read, this.#rows?.length ?? 0)
  }

  /** Adds the next page. Throws when the server does not give it; what was shown stays. */
  async more(): Promise<void> {
    const read = this.#read
    const after = this.#next
    if (this.#isBusy || !read || after === null) return
    const signal = this.#begin()
    try {
      const { data, next } = await read({ after }, signal)
      if (signal.aborted) return
      this.#rows = [...(this.#rows ?? []), ...data]
      this.#next = next
    } catch (error) {
      if (!signal.aborted) throw error
    } finally {
      if (!signal.aborted) this.#end()
    }
  }

  async #fill(read: ReadPage<Row>, least: number): Promise<void> {
    const signal = this.#begin()
    const onTrouble = () => {
      this.#isTrouble = true
      this.#tell()
    }
    try {
      const rows: Row[] = []
      let next: string | null = null
      do {
        const after = next === null ? {} : { after: next }
        const page: PageOf<Row> = await keepTrying(() => read(after, signal), { signal, onTrouble })
        if (signal.aborted) return
        rows.push(...page.data)
        next = page.next
      } while (next !== null && rows.length < least)
      this.#put(rows, next, null)
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof Refused)) throw error
      this.#put(null, null, error)
    } finally {
      if (!signal.aborted) this.#end()
    }
  }

  #put(rows: readonly Row[] | null, next: string | null, refused: Refused | null): void {
    this.#rows = rows
    this.#next = next
    this.#refused = refused
  }

  #begin(): AbortSignal {
    this.#asking?.abort()
    this.#asking = new AbortController()
    this.#isBusy = true
    this.#tell()
    return this.#asking.signal
  }

  #end(): void {
    this.#isBusy = false
    this.#isTrouble = false
    this.#tell()
  }
}
