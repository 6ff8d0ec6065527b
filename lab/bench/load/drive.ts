import { type Answer, Connection } from './connection.ts'
import { type OwnLoad, watchOwnLoad } from './own-load.ts'
import { type Percentiles, percentiles } from './percentiles.ts'

/** Notes of what was answered, by what was asked. */
export class Notes {
  readonly #ms = new Map<string, number[]>()
  /** Answers that it can not go on from, by status and code: a 503 may be an event that is busy. */
  readonly others: Record<string, number> = {}

  good(what: string, { ms }: Answer): void {
    const known = this.#ms.get(what)
    if (known) known.push(ms)
    else this.#ms.set(what, [ms])
  }

  other(what: string, { status, body }: Answer): void {
    const name = [what, status, ...(/"code":"(\w+)"/.exec(body)?.slice(1) ?? [])].join(' ').trim()
    this.others[name] = (this.others[name] ?? 0) + 1
  }

  ms(what: string): readonly number[] {
    return this.#ms.get(what) ?? []
  }

  percentiles(what: string): Percentiles {
    return percentiles(this.ms(what))
  }
}

export interface Driven {
  readonly notes: Notes
  readonly seconds: number
  readonly load: OwnLoad
}

/** Kept connections, dealt out over the ports in turn; each does its work, one request at a time. */
export async function drive(
  ports: readonly number[],
  count: number,
  work: (connection: Connection, index: number, notes: Notes) => Promise<void>,
): Promise<Driven> {
  const open = (_: unknown, index: number) => Connection.open(ports[index % ports.length]!)
  const connections = await Promise.all(Array.from({ length: count }, open))
  const notes = new Notes()
  const ownLoad = watchOwnLoad()
  const startedAt = performance.now()
  await Promise.all(connections.map((connection, index) => work(connection, index, notes)))
  const seconds = (performance.now() - startedAt) / 1000
  const load = ownLoad()
  for (const connection of connections) connection.close()
  return { notes, seconds, load }
}
