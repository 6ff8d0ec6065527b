import type { Violation } from './record.ts'

/** Collects what is wrong: each rule once an event, with the first evidence and how often it was broken. */
export class Findings {
  readonly #first = new Map<string, { violation: Violation; times: number }>()

  add(violation: Violation): void {
    const key = `${violation.event} ${violation.invariant} ${violation.rule}`
    const known = this.#first.get(key)
    if (known) known.times += 1
    else this.#first.set(key, { violation, times: 1 })
  }

  get isEmpty(): boolean {
    return this.#first.size === 0
  }

  get all(): readonly { readonly violation: Violation; readonly times: number }[] {
    return [...this.#first.values()]
  }
}
