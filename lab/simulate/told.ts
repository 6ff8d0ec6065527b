import type { Change } from '@voelgoed/core/event/change'
import type { Fact } from '@voelgoed/engine/facts/fact'
import type { Follower } from '@voelgoed/engine/lane/lanes'
import type { CommittedView } from '@voelgoed/engine/view/committed-view'
import type { SimulatedEvent } from './simulated-event.ts'

/** A follower reports here what must not be. */
interface Court {
  find(rule: string, ...evidence: unknown[]): void
  judgeView(rule: string, name: string, view: CommittedView): void
}

/** Keeps what the followers of one lane have heard. */
export class Told implements Follower {
  /** The changes since they last began, and where that was. */
  changes: Change[] = []
  from: number | null = null
  startedAgain = 0
  readonly event: SimulatedEvent
  readonly #court: Court
  readonly #name: string
  #epoch = 0

  constructor(court: Court, event: SimulatedEvent, name: string) {
    this.#court = court
    this.event = event
    this.#name = name
  }

  get seq(): number | null {
    return this.changes.at(-1)?.seq ?? this.from
  }

  begin(seq: number): void {
    this.from ??= seq
  }

  heard(fact: Fact, view: CommittedView): void {
    const court = this.#court
    const { epoch } = view.epochPoint
    if (fact.kind === 'start_again') {
      this.startedAgain += 1
      const isLost = (change: Change) => {
        const entry = this.event.journal[change.seq - 1]?.change
        return entry !== change && JSON.stringify(entry) !== JSON.stringify(change)
      }
      if (epoch <= this.#epoch && this.changes.some(isLost)) {
        court.find('a new epoch tells of what was lost', this.#name, epoch, this.#epoch)
      }
      this.#epoch = epoch
      this.changes = []
      this.from = fact.seq
      return
    }
    this.#epoch = epoch
    for (const change of fact.changes) {
      if (this.seq !== null && change.seq !== this.seq + 1) {
        court.find('followers hear each change once and in order', this.#name, this.seq, change)
      }
      if (!this.event.wasEverCommitted(change)) {
        court.find('followers hear of nothing before its commit', this.#name, change)
      }
      this.changes.push(change)
    }
    if (view.seq !== this.seq) {
      court.find('followers are told all that is in memory', this.#name, view.seq, this.seq)
    }
    court.judgeView('the view at a fact is what the journal says', this.#name, view)
  }
}
