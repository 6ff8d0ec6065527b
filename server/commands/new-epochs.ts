import { raiseAllEpochs } from '@voelgoed/engine/tables/epochs'
import { StartupError } from '@voelgoed/kit/base/startup-error'
import { parseConfig } from '../config.ts'
import { onDatabase } from './on-database.ts'

/**
 * `npm run new-epochs`: after a restore of Postgres, every event gets a new epoch, so that nothing that was
 * copied from the lost history is believed. Works as `npm run root-key` does: with DATABASE_URL, or on
 * VOELGOED_DATA_DIR, whether a server runs on it or not. Repeating it does no harm.
 */
try {
  const events = await onDatabase(parseConfig(process.env), database =>
    database.platform('begin new epochs after a restore', raiseAllEpochs),
  )
  process.stdout.write(`${events} events have a new epoch. What was copied from them before is made again.\n`)
} catch (error) {
  const { message } = error as Error
  const text = error instanceof StartupError ? message : `could not begin new epochs: ${message}`
  process.stderr.write(`new-epochs: ${text}\n`)
  process.exitCode = 1
}
