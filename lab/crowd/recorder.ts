import { createWriteStream, type WriteStream } from 'node:fs'
import type { Heard } from '../judge/books/books.ts'
import { type Answer, type AskedCommand, type History, HistoryReader, type Line } from '../judge/history.ts'
import { UsefulAnswers } from './useful-answers.ts'

export interface Asked {
  readonly user: string
  readonly node: number
  readonly event: string
  readonly command: AskedCommand
  readonly wish?: string
  readonly key?: string
}

export interface Tally {
  ok: number
  refused: number
  unknown: number
  /** Refused because something of ours was out of reach or busy. */
  unavailable: number
}

/** Writes the history down as it happens, and keeps it for the judges. */
export class Recorder {
  readonly #file: WriteStream
  readonly #reader = new HistoryReader()
  #operations = 0
  readonly #useful = new UsefulAnswers()
  readonly #asked = new Map<number, { node: number; from: number }>()
  readonly tally: Tally = { ok: 0, refused: 0, unknown: 0, unavailable: 0 }
  /** By checkout that was opened: its price. */
  readonly totals = new Map<string, number>()

  constructor(file: string) {
    this.#file = createWriteStream(file)
  }

  get history(): History {
    return this.#reader.history
  }

  invoke(asked: Asked): number {
    this.#operations += 1
    const from = performance.now()
    this.write({ type: 'invoke', op: this.#operations, at: from, ...asked })
    if (asked.command.kind !== 'look') this.#asked.set(this.#operations, { node: asked.node, from })
    return this.#operations
  }

  complete(op: number, type: 'ok' | 'refused' | 'unknown', answer: Answer): void {
    this.write({ type, op, at: performance.now(), ...answer })
    const isOut = type === 'refused' && (answer.status === 0 || answer.status >= 500)
    this.tally[isOut ? 'unavailable' : type] += 1
    const asked = this.#asked.get(op)
    this.#asked.delete(op)
    if (asked && type !== 'unknown' && !isOut) this.#useful.note(asked.node, asked.from)
  }

  /** An answer to a buyer who pays, to staff or to a gate: the books judge it. */
  hear(heard: Heard): void {
    this.write({ type: 'heard', ...heard })
    const { outcome, status, node, from } = heard
    const isOut = status === 0 || status >= 500
    this.tally[outcome === 'refused' && isOut ? 'unavailable' : outcome] += 1
    if (outcome !== 'unknown' && !isOut) this.#useful.note(node, from)
  }

  backAfter(moment: number, nodes: readonly number[], withinMs: number): Promise<number | null> {
    return this.#useful.backAfter(moment, nodes, withinMs)
  }

  write(line: Line): void {
    this.#reader.add(line)
    this.#file.write(`${JSON.stringify(line)}\n`)
  }

  close(): Promise<void> {
    return new Promise(resolve => this.#file.end(() => resolve()))
  }
}
