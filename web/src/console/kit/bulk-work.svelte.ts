import { type PartDone, runInParts, type Skipped, type WorkEnd } from './run-in-parts.ts'

/** The report names this many; the others are counted. */
const MOST_NAMED = 200

/** Long work as it is shown: how far it is, what was skipped. It goes on while staff look elsewhere. */
export class BulkWork {
  readonly title: string
  readonly reason: string
  readonly total: number
  #done = $state(0)
  #skippedCount = $state(0)
  #skipped: readonly Skipped[] = $state.raw([])
  /** Null: it runs. */
  #end: WorkEnd | null = $state.raw(null)
  #isHidden = $state(false)
  #isToStop = false

  constructor(title: string, reason: string, total: number) {
    this.title = title
    this.reason = reason
    this.total = total
  }

  get done(): number {
    return this.#done
  }
  get skippedCount(): number {
    return this.#skippedCount
  }
  get skipped(): readonly Skipped[] {
    return this.#skipped
  }
  get toGo(): number {
    return Math.max(0, this.total - this.#done - this.#skippedCount)
  }
  get end(): WorkEnd | null {
    return this.#end
  }
  get isHidden(): boolean {
    return this.#isHidden
  }

  hide(): void {
    this.#isHidden = true
  }

  show(): void {
    this.#isHidden = false
  }

  stop(): void {
    this.#isToStop = true
  }

  /** `size`: of a part. */
  async run<T>(
    items: readonly T[],
    size: number,
    work: (part: readonly T[]) => Promise<PartDone>,
  ): Promise<void> {
    this.#end = await runInParts(items, size, work, {
      isToStop: () => this.#isToStop,
      onPart: ({ done, skipped }) => {
        this.#done += done
        this.#skippedCount += skipped.length
        this.#skipped = [...this.#skipped, ...skipped].slice(0, MOST_NAMED)
      },
    })
  }
}
