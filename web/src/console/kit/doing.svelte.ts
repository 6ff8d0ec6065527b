import type { Desk } from './desk.svelte.ts'

/** Work that a press begins. It is busy until the work is over, and knows why the last one failed. */
export class Doing {
  readonly #desk: Desk
  #key: string | null = $state(null)
  #error: unknown = $state.raw(null)

  constructor(desk: Desk) {
    this.#desk = desk
  }

  /** The work that goes on: each button of a list has a key, and is busy for itself. */
  get key(): string | null {
    return this.#key
  }

  get isBusy(): boolean {
    return this.#key !== null
  }

  get error(): unknown {
    return this.#error
  }

  /** The error in words. */
  get trouble(): string | null {
    return this.#error === null ? null : this.#desk.explain(this.#error)
  }

  /** Keeps the error, for a banner beside the button. True: the work was done. */
  run(work: () => Promise<unknown>, key = ''): Promise<boolean> {
    return this.#do(work, key, error => {
      this.#error = error
    })
  }

  /** Tells of the error in a notice, as of the work that was done, where it answers with words. */
  tell(work: () => Promise<unknown>, key = ''): Promise<boolean> {
    const told = async () => {
      const done = await work()
      if (typeof done === 'string') this.#desk.tell(done)
    }
    return this.#do(told, key, error => this.#desk.tell(this.#desk.explain(error), true, error))
  }

  async #do(work: () => Promise<unknown>, key: string, onfail: (error: unknown) => void): Promise<boolean> {
    this.#key = key
    this.#error = null
    try {
      await work()
      return true
    } catch (error) {
      onfail(error)
      return false
    } finally {
      this.#key = null
    }
  }
}
