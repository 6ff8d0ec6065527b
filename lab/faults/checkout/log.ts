import { createWriteStream, type WriteStream } from 'node:fs'
import type { Heard } from '../../checker/books/books.ts'
import type { FaultLine } from '../../checker/history.ts'
import { UsefulAnswers } from '../useful-answers.ts'

/** Writes down what was asked and heard, and what was done to the nodes. */
export class CheckoutLog {
  readonly #file: WriteStream
  readonly #useful = new UsefulAnswers()
  readonly heard: Heard[] = []
  readonly faults: FaultLine[] = []
  /** The ids of the checkouts that were opened. */
  readonly opened = new Set<string>()
  /** What they cost. */
  readonly totals = new Map<string, number>()

  constructor(file: string) {
    this.#file = createWriteStream(file)
  }

  hear(line: Heard): void {
    this.heard.push(line)
    if (line.kind === 'open' && line.order !== undefined) this.opened.add(line.order)
    this.#file.write(`${JSON.stringify(line)}\n`)
    const isOut = line.outcome === 'unknown' || line.status === 0 || line.status >= 500
    if (!isOut) this.#useful.note(line.node, line.from)
  }

  write(line: FaultLine): void {
    this.faults.push(line)
    this.#file.write(`${JSON.stringify(line)}\n`)
  }

  backAfter(moment: number, nodes: readonly number[], withinMs: number): Promise<number | null> {
    return this.#useful.backAfter(moment, nodes, withinMs)
  }

  close(): Promise<void> {
    return new Promise(resolve => this.#file.end(() => resolve()))
  }
}
