import { writeFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { Person } from '../../found-organization.ts'
import type { Books } from '../../judge/books/books.ts'
import type { LabPostgres } from '../../nemesis/lab-postgres.ts'
import { Random } from '../../random.ts'
import { type AskDeps, ask } from './ask.ts'
import { Buyer } from './buyer.ts'
import { countWaiting } from './collect-books.ts'
import type { Programme } from './programme.ts'

interface Deps extends Omit<AskDeps, 'random'> {
  readonly programme: Programme
  readonly seed: number
}

/** Streams of random numbers that no other crowd of a run takes. */
const BUYERS = 20_000
const AFTERWARDS = 19_000
const QUIET_EVERY_MS = 500
/** After the end, so many checkouts are read by their buyers. */
const READ_AGAIN = 2_000
const READ_AT_ONCE = 16

/** Buyers who pay, and through them gates and staff, until it is over. */
export function buyTickets({ seed, ...deps }: Deps, isOver: () => boolean): Promise<void>[] {
  return deps.programme.buyers.map((person, index) => {
    const random = new Random(seed, BUYERS + index)
    return new Buyer(person, { ...deps, random, begin: () => !isOver() }).run()
  })
}

/** Waits until nothing is left to do, within a bound; says what still is. */
export async function waitUntilSettled(
  { postgres, progress }: { postgres: LabPostgres; progress(line: string): void },
  programme: Programme,
  withinMs: number,
): Promise<{ waiting: Readonly<Record<string, number>>; seconds: number }> {
  const begun = performance.now()
  for (;;) {
    const waiting = await countWaiting(postgres, programme.all)
    const seconds = (performance.now() - begun) / 1000
    if (Object.keys(waiting).length === 0 || seconds * 1000 > withinMs) return { waiting, seconds }
    progress(`waiting for quiet: ${JSON.stringify(waiting)}`)
    await delay(QUIET_EVERY_MS)
  }
}

/** Asks once more for checkouts: their buyers are told now what is in the books. */
export async function readAgain({ programme, seed, ...deps }: Deps): Promise<void> {
  const people = new Map<string, Person>(programme.buyers.map(person => [person.userId, person]))
  const events = new Map(programme.all.map(event => [event.eventId, event]))
  const opened = new Map(
    deps.recorder.history.heard.flatMap(one => (one.kind === 'open' && one.order ? [[one.order, one]] : [])),
  )
  const random = new Random(seed, AFTERWARDS)
  const waiting = random.shuffled([...opened.values()]).slice(0, READ_AGAIN)
  const read = async () => {
    for (let one = waiting.pop(); one; one = waiting.pop()) {
      const { order, user, event } = one
      const about = { order: order!, isAfterQuiet: true as const }
      const question = { kind: 'read' as const, method: 'GET', path: `/api/checkouts/${order}`, about }
      const who = { person: people.get(user)!, event: events.get(event)! }
      await ask({ ...deps, random }, { ...question, ...who })
    }
  }
  await Promise.all(Array.from({ length: READ_AT_ONCE }, read))
}

/** One row a line: a million of them are too long for one string. */
export async function writeBooks(file: string, books: Books): Promise<void> {
  const lines = Object.entries(books).map(([name, rows]) => {
    return `"${name}":[\n${(rows as readonly unknown[]).map(row => JSON.stringify(row)).join(',\n')}\n]`
  })
  await writeFile(file, `{${lines.join(',\n')}}\n`)
}
