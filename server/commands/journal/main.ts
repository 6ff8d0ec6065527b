import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { DamagedJournal } from '@voelgoed/core/event/packed-changes'
import { StartupError } from '@voelgoed/kit/base/startup-error'
import { type JournalRequest, printJournal } from './print-journal.ts'

const USAGE =
  'npm run journal -- EVENT --database postgres://user:password@host:5432/database [--organization SLUG] [--from SEQ] [--to SEQ] [--json]'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Prints an event's journal from outside, as the owner of the database. Reads only; a server may be running.
 *
 *   exit code 0   printed
 *             2   not, and one line says why
 */
async function main(): Promise<void> {
  const request = readArguments()
  // The reader has seen enough, as `head` does.
  process.stdout.on('error', () => process.exit(0))
  await printJournal(request, async lines => {
    if (!process.stdout.write(lines)) await once(process.stdout, 'drain')
  })
}

function readArguments(): JournalRequest {
  const { values, positionals } = parse()
  const [eventId, ...more] = positionals
  if (eventId === undefined || more.length > 0) throw new StartupError(`name one event: ${USAGE}`)
  if (!UUID.test(eventId)) throw new StartupError(`${eventId} is no id of an event: ${USAGE}`)
  if (!values.database) throw new StartupError(`--database is missing: ${USAGE}`)
  const from = seqOf('--from', values.from) ?? 1
  const to = seqOf('--to', values.to) ?? Number.MAX_SAFE_INTEGER
  if (to < from) throw new StartupError(`--to must not be less than --from: ${USAGE}`)
  return {
    database: values.database,
    eventId,
    organization: values.organization,
    from,
    to,
    asJson: values.json,
  }
}

function parse() {
  const text = { type: 'string' } as const
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        database: text,
        organization: text,
        from: text,
        to: text,
        json: { type: 'boolean', default: false },
      },
    })
  } catch (error) {
    const [first] = (error as Error).message.split('\n')
    throw new StartupError(`${first} ${USAGE}`)
  }
}

function seqOf(option: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined
  if (!/^[1-9]\d{0,14}$/.test(given))
    throw new StartupError(`${option} must be the number of an entry: ${USAGE}`)
  return Number(given)
}

try {
  await main()
} catch (error) {
  const { message, stack } = error as Error
  const { code } = error as { code?: unknown }
  // Wrong arguments, what Postgres says, and damaged data are for the operator; anything else is our fault.
  const isTheirs =
    error instanceof StartupError || error instanceof DamagedJournal || typeof code === 'string'
  process.stderr.write(`journal: ${isTheirs ? message : stack}\n`)
  process.exitCode = 2
}
