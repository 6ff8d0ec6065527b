import { requestText } from './connection.ts'
import { drive } from './drive.ts'
import { type Percentiles, percentiles } from './percentiles.ts'

/** Each ticket is shown at two gates at about the same moment; each gate has one request at a time. */
export interface ScansOrder {
  /** Gates are dealt out over them in turn, so the two that see a ticket ask two nodes, if there are two. */
  readonly ports: readonly number[]
  readonly gates: number
  /** The token of a member of staff who may scan. */
  readonly token: string
  /** The QR codes of the tickets hold these tokens. */
  readonly tickets: readonly string[]
}

export interface ScanFigures extends Percentiles {
  readonly admitted: number
  /** Answers that are neither admitted nor already_entered, by status and code. */
  readonly others: Readonly<Record<string, number>>
  readonly perSecond: number
  readonly longestMs: number
}

const ADMITTED = '"result":"admitted"'
const ENTERED = '"code":"already_entered"'

export async function runScans({ ports, gates, token, tickets }: ScansOrder): Promise<ScanFigures> {
  let admitted = 0
  let next = 0
  const { notes, seconds } = await drive(ports, gates, async (connection, gate, notes) => {
    while (next < 2 * tickets.length) {
      const ticket = tickets[next >> 1]!
      next += 1
      const scan = { token: ticket, gate: `G${gate}`, device_id: `g-${gate}`, scan_id: `${next}` }
      const answer = await connection.ask(
        requestText('POST /api/scans', { token, body: JSON.stringify(scan) }),
      )
      notes.good('scan', answer)
      if (answer.body.includes(ADMITTED)) admitted += 1
      else if (!answer.body.includes(ENTERED)) notes.other('', answer)
    }
  })
  const ms = notes.ms('scan')
  return {
    ...{ admitted, others: notes.others, perSecond: ms.length / seconds, ...percentiles(ms) },
    longestMs: ms.reduce((longest, one) => Math.max(longest, one), 0),
  }
}
