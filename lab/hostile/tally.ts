import { formatBytes, formatTable } from '../format.ts'
import type { Verdict } from './check-answer.ts'
import type { HostileRequest } from './make-request.ts'
import type { Outcome } from './wire.ts'

interface Row {
  requests: number
  sentBytes: number
  results: Map<string, number>
}

/** Counts requests by kind of attack, by route and by how they ended. */
export class Tally {
  requests = 0
  sentBytes = 0
  receivedBytes = 0
  readonly results = new Map<string, number>()
  readonly attacks = new Map<string, Row>()
  readonly routes = new Map<string, Row>()

  add(request: HostileRequest, outcome: Outcome, { result }: Verdict): void {
    const sentBytes = request.bytes.reduce((sum, piece) => sum + piece.length, 0)
    this.requests += 1
    this.sentBytes += sentBytes
    this.receivedBytes += outcome.receivedBytes
    count(this.results, result)
    for (const [rows, key] of [
      [this.attacks, request.attack],
      [this.routes, `${request.route.method} ${request.route.path}`],
    ] as const) {
      const row = rows.get(key) ?? { requests: 0, sentBytes: 0, results: new Map() }
      row.requests += 1
      row.sentBytes += sentBytes
      count(row.results, result)
      rows.set(key, row)
    }
  }

  print(): string {
    return [this.printResults(), printRows('attack', this.attacks), printRows('route', this.routes)].join(
      '\n\n',
    )
  }

  printResults(): string {
    const sorted = [...this.results].sort(([a], [b]) => (a < b ? -1 : 1))
    return `By status: ${sorted.map(([result, times]) => `${result} × ${times.toLocaleString('en')}`).join(', ')}`
  }
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

const COLUMNS: readonly [string, (result: string) => boolean][] = [
  ['2xx', result => /^2|^304/.test(result)],
  ['400', result => result === '400'],
  ['401', result => result === '401'],
  ['403', result => result === '403'],
  ['404', result => result === '404'],
  ['409', result => result === '409'],
  ['413', result => result === '413'],
  ['415', result => result === '415'],
  ['422', result => result === '422'],
  ['4xx', result => /^4/.test(result) && !/^4(0[01349]|1[35]|22)$/.test(result)],
  ['busy', result => result === 'busy'],
  ['5xx', result => result.startsWith('5')],
  ['closed', result => result === 'closed' || result === 'silent'],
]

function printRows(title: string, rows: ReadonlyMap<string, Row>): string {
  const sorted = [...rows].sort(([a], [b]) => (a < b ? -1 : 1))
  return formatTable(
    [title, 'requests', ...COLUMNS.map(([name]) => name), 'sent'],
    sorted.map(([name, row]) => [
      name,
      row.requests.toLocaleString('en'),
      ...COLUMNS.map(([, fits]) => {
        const sum = [...row.results].reduce((total, [result, times]) => total + (fits(result) ? times : 0), 0)
        return sum === 0 ? '·' : sum.toLocaleString('en')
      }),
      formatBytes(row.sentBytes),
    ]),
  )
}
