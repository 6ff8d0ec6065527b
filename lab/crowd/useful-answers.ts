import { setTimeout as delay } from 'node:timers/promises'

/** Knows since when each node answers usefully again. */
export class UsefulAnswers {
  /** By node: when what was asked last and answered usefully was asked, and answered. */
  readonly #last = new Map<number, { from: number; to: number }>()

  note(node: number, from: number): void {
    const known = this.#last.get(node)
    if (!known || from > known.from) this.#last.set(node, { from, to: performance.now() })
  }

  /**
   * When each of the nodes has answered usefully what it was asked after this moment; null: not within the
   * bound.
   */
  async backAfter(moment: number, nodes: readonly number[], withinMs: number): Promise<number | null> {
    const until = performance.now() + withinMs
    while (performance.now() < until) {
      const good = nodes.flatMap(node => this.#last.get(node) ?? []).filter(({ from }) => from >= moment)
      if (good.length === nodes.length) return Math.max(...good.map(({ to }) => to))
      await delay(5)
    }
    return null
  }
}
