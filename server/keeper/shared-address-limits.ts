import type { AddressLimit, AddressLimits } from '@voelgoed/kit/http/address-limits'
import type { KeeperCalls, Taken, WorkerCalls } from './calls.ts'
import type { Channel } from './channel.ts'

/** Below the time in which a buyer gives up. */
const ANSWER_MS = 1_000

type Keeper = Pick<Channel<WorkerCalls, KeeperCalls>, 'askWithin' | 'tell'>

/**
 * The limits by address, counted by the keeper for all workers. What this worker alone has counted is looked
 * at first: an address that is beyond its limit here costs the keeper nothing. The questions of one turn of
 * the event loop go out as one message. If the keeper does not answer in time, the count of this worker
 * decides.
 */
export class SharedAddressLimits implements AddressLimits {
  readonly #own: AddressLimits
  readonly #keeper: Keeper
  #gathering: Question[] = []

  constructor(own: AddressLimits, keeper: Keeper) {
    this.#own = own
    this.#keeper = keeper
  }

  async take(limit: AddressLimit, addressKey: string): Promise<number | null> {
    const ownWait = await this.#own.take(limit, addressKey)
    if (ownWait !== null) return ownWait
    const wait = await this.#ask([limit, addressKey])
    // A refused request does not count.
    if (wait !== null) this.#own.giveBack(limit, addressKey)
    return wait
  }

  giveBack(limit: AddressLimit, addressKey: string): void {
    this.#own.giveBack(limit, addressKey)
    this.#keeper.tell('giveBack', [limit, addressKey])
  }

  #ask(taken: Taken): Promise<number | null> {
    return new Promise(resolve => {
      if (this.#gathering.length === 0) setImmediate(() => void this.#askGathered())
      this.#gathering.push({ taken, resolve })
    })
  }

  async #askGathered(): Promise<void> {
    const questions = this.#gathering
    this.#gathering = []
    const takes = questions.map(({ taken }) => taken)
    const waits = await this.#keeper.askWithin(ANSWER_MS, 'take', takes)
    for (const [index, { resolve }] of questions.entries()) resolve(waits?.[index] ?? null)
  }
}

interface Question {
  readonly taken: Taken
  readonly resolve: (wait: number | null) => void
}
