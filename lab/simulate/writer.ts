import type { Change } from '@voelgoed/core/event/change'
import type { Command } from '@voelgoed/core/event/command'
import type { CommandId } from '@voelgoed/core/ids'
import type { KeptAnswer } from '@voelgoed/engine/batch/answers'
import type { BatchWriter } from '@voelgoed/engine/ports/store'
import type { Ledger } from '@voelgoed/engine/tables/ledger'
import type { JournalEntry, Writes } from './simulated-event.ts'

/** A transaction writes through this, and everything is there at the commit. */
export class SimulatedWriter implements BatchWriter {
  readonly changes: Change[] = []
  readonly #ledger: Ledger
  readonly #entries: JournalEntry[] = []
  readonly #answers: KeptAnswer[] = []
  #sent = 0
  #nextExpiry: number | null

  constructor(ledger: Ledger) {
    this.#ledger = ledger
    this.#nextExpiry = ledger.nextExpiry
  }

  get writes(): Writes | null {
    const isSame = this.#nextExpiry === this.#ledger.nextExpiry
    if (this.#entries.length === 0 && this.#answers.length === 0 && isSame) return null
    return {
      seqBefore: (this.changes[0]?.seq ?? this.#ledger.seq + 1) - 1,
      entries: this.#entries,
      answers: this.#answers,
      nextExpiry: this.#nextExpiry,
    }
  }

  get firstCommand(): CommandId | null {
    return this.#entries[0]?.command ?? null
  }

  get lastCommand(): CommandId | null {
    return this.#entries.at(-1)?.command ?? null
  }

  get firstKept(): KeptAnswer | null {
    return this.#answers[0] ?? null
  }

  get unsent(): number {
    return this.changes.length - this.#sent
  }

  add(change: Change, command: Command): void {
    this.changes.push(change)
    this.#entries.push({
      change,
      command: command.commandId,
      actor: command.actor.person?.userId ?? null,
    })
  }

  ride(): void {
    throw new Error('no module has rows in a simulated database')
  }

  keep(answer: KeptAnswer): void {
    this.#answers.push(answer)
  }

  send(): void {
    this.#sent = this.changes.length
  }

  finish(nextExpiry: number | null): boolean {
    this.#nextExpiry = nextExpiry
    return this.writes !== null
  }
}
