import { StartupError } from '@voelgoed/kit/base/startup-error'
import { parseConfig } from '../config.ts'
import { replaceRootKey } from '../modules/sign-in/root-key.ts'
import { onDatabase } from './on-database.ts'

/**
 * `npm run root-key`: makes a new platform key for the owner of the database, prints it, and so ends the old
 * one on all nodes at once, except on nodes that have VOELGOED_ROOT_KEY set: they know that key and no other.
 * Works with DATABASE_URL, or on VOELGOED_DATA_DIR, whether a server runs on it or not.
 */
async function main(): Promise<void> {
  const config = parseConfig(process.env)
  if (config.rootKey !== null) {
    throw new StartupError(
      'VOELGOED_ROOT_KEY is set, and nodes that have it set know no other key: change it there, or start them without it.',
    )
  }
  const key = await onDatabase(config, replaceRootKey)
  if (key === null) {
    throw new StartupError(
      'the database has no platform key: its nodes were started with VOELGOED_ROOT_KEY, and know that key and no other. ' +
        'Change the variable and restart them, or start them without it: the first one makes a key, and prints it.',
    )
  }
  process.stdout.write(
    `Platform key (shown this once): ${key}\nThe key before it opens nothing any more.\n` +
      'A node that runs with VOELGOED_ROOT_KEY set knows that key and no other: change the variable and restart it.\n',
  )
}

/** Postgres says it of a table that is not there. */
const UNDEFINED_TABLE = '42P01'

try {
  await main()
} catch (error) {
  const { code, message } = error as { code?: string; message: string }
  const text =
    code === UNDEFINED_TABLE
      ? 'the database is empty: the first start makes a key, and prints it'
      : error instanceof StartupError
        ? message
        : `could not replace the key: ${message}`
  process.stderr.write(`root-key: ${text}\n`)
  process.exitCode = 1
}
