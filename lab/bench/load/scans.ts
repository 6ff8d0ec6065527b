import { Connection, requestText } from './connection.ts'
import { type OwnLoad, watchOwnLoad } from './own-load.ts'
import { type Percentiles, percentiles } from './percentiles.ts'

/** Each ticket is shown at two gates at about the same moment; each gate has one request at a time. */
export interface ScansOrder {
  /** Gates are dealt out over them in turn, so the two that see a ticket ask two nodes, if there are two. */
  readonly ports: readonly number[]
  readonly gates: number
  /** Of a member of staff. */
  readonly token: string
  /** What the QR codes of the tickets hold. */
  readonly tickets: readonly string[]
}

export interface ScanFigures extends Percentiles {
  readonly answers: number
  readonly admitted: number
  /** Answers that are neither admitted nor already_entered, by status and code. */
  readonly others: Readonly<Record<string, number>>
  readonly seconds: number
  readonly perSecond: number
  readonly longestMs: number
  readonly load: OwnLoad
}

const ADMITTED = '"result":"admitted"'
const ENTERED = '"code":"already_entered"'

export async function runScans({ ports, gates, token, tickets }: ScansOrder): Promise<ScanFigures> {
  const open = (_: unknown, gate: number) => Connection.open(ports[gate % ports.length]!)
  const connections = await Promise.all(Array.from({ length: gates }, open))
  const ms: number[] = []
  const others: Record<string, number> = {}
  let admitted = 0
  let next = 0
  const ownLoad = watchOwnLoad()
  const startedAt = performance.now()
  const work = async (connection: Connection, gate: number) => {
    while (next < 2 * tickets.length) {
      const ticket = tickets[next >> 1]!
      next += 1
      const body = JSON.stringify({
        token: ticket,
        gate: `G${gate}`,
        device_id: `g-${gate}`,
        scan_id: `${next}`,
      })
      const answer = await connection.ask(requestText('POST /api/scans', { token, body }))
      ms.push(answer.ms)
      if (answer.body.includes(ADMITTED)) admitted += 1
      else if (!answer.body.includes(ENTERED)) {
        const what = `${answer.status} ${/"code":"(\w+)"/.exec(answer.body)?.[1] ?? ''}`
        others[what] = (others[what] ?? 0) + 1
      }
    }
  }
  await Promise.all(connections.map(work))
  const seconds = (performance.now() - startedAt) / 1000
  const load = ownLoad()
  for (const connection of connections) connection.close()
  return {
    answers: ms.length,
    admitted,
    others,
    seconds,
    perSecond: ms.length / seconds,
    ...percentiles(ms),
    longestMs: ms.reduce((longest, one) => Math.max(longest, one), 0),
    load,
  }
}
