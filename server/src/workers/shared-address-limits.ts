import type { AddressLimit, AddressLimits } from '../accounts/address-limits.ts'
import type { Taken, ToKeeper } from './messages.ts'

/** Below the time in which a buyer gives up. */
const ANSWER_MS = 1_000

type TakeMessage = Extract<ToKeeper, { kind: 'take' | 'give_back' }>

/**
 * The limits by address, counted by the keeper for all workers. What this worker alone has counted is looked
 * at first: an address that is beyond its limit here costs the keeper nothing. The questions of one turn of
 * the event loop go out as one message. If the keeper does not answer in time, the count of this worker
 * decides.
 */
export class SharedAddressLimits implements AddressLimits {
  readonly #own: AddressLimits
  readonly #send: (message: TakeMessage) => void
  #gathering: Question[] = []
  readonly #asked = new Map<number, Asked>()
  #lastId = 0

  constructor(own: AddressLimits, send: (message: TakeMessage) => void) {
    this.#own = own
    this.#send = send
  }

  async take(limit: AddressLimit, addressKey: string): Promise<number | null> {
    const ownWait = await this.#own.take(limit, addressKey)
    if (ownWait !== null) return ownWait
    const wait = await this.#ask([limit, addressKey])
    // What is refused does not count.
    if (wait !== null) this.#own.giveBack(limit, addressKey)
    return wait
  }

  giveBack(limit: AddressLimit, addressKey: string): void {
    this.#own.giveBack(limit, addressKey)
    this.#send({ kind: 'give_back', taken: [limit, addressKey] })
  }

  answered(id: number, waits: readonly (number | null)[]): void {
    const asked = this.#asked.get(id)
    if (!asked) return
    this.#asked.delete(id)
    clearTimeout(asked.bound)
    for (const [index, { resolve }] of asked.questions.entries()) resolve(waits[index] ?? null)
  }

  #ask(taken: Taken): Promise<number | null> {
    return new Promise(resolve => {
      if (this.#gathering.length === 0) setImmediate(() => this.#sendGathered())
      this.#gathering.push({ taken, resolve })
    })
  }

  #sendGathered(): void {
    const questions = this.#gathering
    this.#gathering = []
    this.#lastId += 1
    const id = this.#lastId
    this.#asked.set(id, { questions, bound: setTimeout(() => this.answered(id, []), ANSWER_MS).unref() })
    this.#send({ kind: 'take', id, takes: questions.map(({ taken }) => taken) })
  }
}

interface Question {
  readonly taken: Taken
  readonly resolve: (wait: number | null) => void
}

interface Asked {
  readonly questions: readonly Question[]
  readonly bound: NodeJS.Timeout
}
