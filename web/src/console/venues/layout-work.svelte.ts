import { Refused } from '@voelgoed/client'
import type { Desk } from '../kit/desk.svelte.ts'
import type { LayoutPreview } from './draw-layout.ts'
import type { JobResults, LayoutJob, SavedVersion } from './layout-jobs.ts'
import { accessOf, JobFailed, LayoutThread, Replaced } from './layout-thread.ts'

type DrawJob = Extract<LayoutJob, { kind: 'draw' | 'read' }>

/** While a person types, the map follows this long after the last key. */
const AFTER_MS = 150

/** A layout in the making: what it looks like now, and its way to the server. */
export class LayoutWork {
  readonly #desk: Desk
  readonly #thread = new LayoutThread()
  #preview: LayoutPreview | null = $state.raw(null)
  #isBusy = $state(false)
  #trouble: string | null = $state(null)
  #timer: ReturnType<typeof setTimeout> | undefined
  /** One for all attempts to save what was drawn: a lost answer makes no second layout. */
  #key = ''

  constructor(desk: Desk) {
    this.#desk = desk
  }

  get preview(): LayoutPreview | null {
    return this.#preview
  }

  get isBusy(): boolean {
    return this.#isBusy
  }

  get trouble(): string | null {
    return this.#trouble
  }

  /** Soon; a later one replaces it. */
  draw(job: DrawJob): void {
    clearTimeout(this.#timer)
    this.#isBusy = true
    this.#timer = setTimeout(() => void this.#drawNow(job), this.#preview === null ? 0 : AFTER_MS)
  }

  clear(): void {
    clearTimeout(this.#timer)
    this.#thread.stop()
    this.#preview = null
    this.#isBusy = false
    this.#trouble = null
  }

  /** Null: it did not work, and `trouble` says why. */
  save(job: { venue: string; name: string } | { layout: string }): Promise<SavedVersion | null> {
    const common = { key: this.#key, access: accessOf(this.#desk.session) }
    return 'venue' in job
      ? this.#run({ kind: 'create', ...job, ...common })
      : this.#run({ kind: 'save', ...job, ...common })
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#thread.close()
  }

  async #drawNow(job: DrawJob): Promise<void> {
    const preview = await this.#run(job)
    if (!preview) return
    this.#key = crypto.randomUUID()
    this.#preview = preview
  }

  async #run<Job extends LayoutJob>(job: Job): Promise<JobResults[Job['kind']] | null> {
    this.#isBusy = true
    this.#trouble = null
    try {
      const value = await this.#thread.run(job)
      this.#isBusy = false
      return value
    } catch (error) {
      // The job that replaced it goes on.
      if (error instanceof Replaced) return null
      this.#isBusy = false
      this.#trouble = explain(this.#desk, error)
      return null
    }
  }
}

/**
 * Explains a failure. The server's words about a layout name the place; a reader's words stand as they are.
 */
export function explain(desk: Desk, error: unknown): string {
  if (error instanceof JobFailed) return `${desk.words.layouts.failed} ${error.message}`
  if (error instanceof Refused) {
    const first = (error.problem.errors as { path: string; message: string }[] | undefined)?.[0]
    if (error.code === 'payload_too_large') return desk.words.layouts.tooLarge
    if (first) return `${desk.words.layouts.refused} ${first.path}: ${first.message}`
  }
  return desk.explain(error)
}
