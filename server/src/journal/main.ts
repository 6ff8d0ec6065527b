import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { StartupError } from '../startup-error.ts'
import { type JournalRequest, printJournal } from './print-journal.ts'

const USAGE =
  'npm run journal -- EVENT --database postgres://user:password@host:5432/database [--organization SLUG] [--from SEQ] [--to SEQ] [--json]'

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
  if (!values.database) throw new StartupError(`--database is missing: ${USAGE}`)
  return {
    database: values.database,
    eventId,
    organization: values.organization,
    from: seqOf('--from', values.from) ?? 1,
    to: seqOf('--to', values.to) ?? Number.MAX_SAFE_INTEGER,
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
    throw new StartupError(`${(error as Error).message}: ${USAGE}`)
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
  // Wrong arguments, and what Postgres says, are for the operator; anything else is our fault.
  const isTheirs = error instanceof StartupError || typeof code === 'string'
  process.stderr.write(`journal: ${isTheirs ? message : stack}\n`)
  process.exitCode = 2
}
