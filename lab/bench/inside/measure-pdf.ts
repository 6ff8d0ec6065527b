import { randomBytes, randomUUID } from 'node:crypto'
import { systemClock } from '@voelgoed/kit/base/clock'
import { pino } from 'pino'
import { TicketPdfs } from '../../../server/modules/tickets/ticket-pdfs.ts'

/**
 * Measures a PDF of tickets in the thread that the server draws it in:
 *
 *   node scripts/run.mjs measure-pdf [tickets]
 */
const tickets = Number(process.argv[2] ?? 10)
const RUNS = 20
const times: number[] = []
const pdfs = new TicketPdfs({
  log: pino({ level: 'warn' }),
  onMade: (_outcome, ms) => times.push(ms),
  clock: systemClock,
})
let bytes = 0
for (let run = 0; run <= RUNS; run += 1) {
  const made = await pdfs.make(sheets(), { organizationId: 'one organization', userId: 'one buyer' })
  if (!made.ok) throw new Error(`no document: ${made.problem.kind}`)
  bytes = made.value.length
}
await pdfs.close()
const [first, ...others] = times
const sorted = others.toSorted((a, b) => a - b)
const ms = (value: number) => `${Math.round(value)} ms`
process.stdout.write(
  `${tickets} tickets, ${bytes} bytes: the first ${ms(first!)} (the thread starts), then p50 ${ms(sorted[RUNS / 2]!)}, ` +
    `longest ${ms(sorted.at(-1)!)} of ${RUNS}\n`,
)

function sheets() {
  return {
    language: 'en' as const,
    organization: 'Karoo Stage',
    event: {
      name: 'Hamlet',
      venue: 'Old Town Theatre',
      address: '1 Church Street, Stellenbosch',
      timeZone: 'Africa/Johannesburg',
      startsAt: '2027-03-01T17:30:00.000Z',
      days: [],
    },
    orderNumber: '7KQ2M-XD4HT',
    total: tickets,
    tickets: Array.from({ length: tickets }, (_, index) => ({
      number: index + 1,
      ticketId: randomUUID(),
      token: `VG1.${randomBytes(100).toString('base64url')}`,
      zone: 'Stalls',
      row: 'A',
      seat: String(index + 1),
      type: 'Adult',
      attendee: 'Zoë Botha',
    })),
  }
}
