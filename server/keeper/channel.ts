import { explain } from '@voelgoed/kit/base/terminal'

type Calls<Names extends PropertyKey> = Readonly<Record<Names, (...given: never[]) => unknown>>
type Given<Call> = Call extends (...given: infer All) => unknown ? All : never
type Answer<Call> = Call extends (...given: never[]) => infer One ? Awaited<One> : never

/** A call, which has no answer when it has no id, or the answer to one. */
export type Message =
  | { readonly call: string; readonly id?: number; readonly given: readonly unknown[] }
  | { readonly id: number; readonly answer?: unknown; readonly failed?: string }

interface Asked {
  resolve(answer: unknown): void
  reject(error: Error): void
}

/** The other end could not do it, and says why. */
export class CallFailed extends Error {}

/** Calls between two processes: what one offers as `Mine`, the other calls as `Theirs`. */
export class Channel<Mine extends Calls<keyof Mine>, Theirs extends Calls<keyof Theirs>> {
  readonly #send: (message: Message) => void
  readonly #mine: Mine
  readonly #asked = new Map<number, Asked>()
  #lastId = 0
  #ended: Error | null = null

  constructor(send: (message: Message) => void, mine: Mine) {
    this.#send = send
    this.#mine = mine
  }

  /** Without an answer. */
  tell<Name extends keyof Theirs & string>(name: Name, ...given: Given<Theirs[Name]>): void {
    this.#send({ call: name, given })
  }

  /** Rejects with `CallFailed`, or with the error that `end` was called with. */
  ask<Name extends keyof Theirs & string>(
    name: Name,
    ...given: Given<Theirs[Name]>
  ): Promise<Answer<Theirs[Name]>> {
    return new Promise((resolve, reject) => {
      const settle = (answer: unknown) => resolve(answer as Answer<Theirs[Name]>)
      this.#call(this.#newId(), name, given, { resolve: settle, reject })
    })
  }

  /** Null: the other end could not answer, or not in time. */
  askWithin<Name extends keyof Theirs & string>(
    ms: number,
    name: Name,
    ...given: Given<Theirs[Name]>
  ): Promise<Answer<Theirs[Name]> | null> {
    return new Promise(resolve => {
      const id = this.#newId()
      const settle = (answer: unknown) => {
        clearTimeout(bound)
        this.#asked.delete(id)
        resolve(answer as Answer<Theirs[Name]> | null)
      }
      const bound = setTimeout(settle, ms, null).unref()
      this.#call(id, name, given, { resolve: settle, reject: () => settle(null) })
    })
  }

  heard(message: Message): void {
    if ('call' in message) {
      void this.#do(message.call, message.given, message.id)
      return
    }
    const asked = this.#asked.get(message.id)
    this.#asked.delete(message.id)
    if (message.failed === undefined) asked?.resolve(message.answer)
    else asked?.reject(new CallFailed(message.failed))
  }

  /** The other end is gone. */
  end(error: Error): void {
    this.#ended = error
    for (const { reject } of this.#asked.values()) reject(error)
    this.#asked.clear()
  }

  #newId(): number {
    this.#lastId += 1
    return this.#lastId
  }

  #call(id: number, call: string, given: readonly unknown[], asked: Asked): void {
    if (this.#ended) {
      asked.reject(this.#ended)
      return
    }
    this.#asked.set(id, asked)
    this.#send({ call, id, given })
  }

  async #do(call: string, given: readonly unknown[], id: number | undefined): Promise<void> {
    try {
      const answer = await this.#mine[call as keyof Mine](...(given as never[]))
      if (id !== undefined) this.#send({ id, answer })
    } catch (error) {
      if (id === undefined) throw error
      this.#send({ id, failed: explain(error) })
    }
  }
}
