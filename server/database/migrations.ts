import type { Migration } from '@voelgoed/kit/postgres/migrate'
import eventEnds from '../modules/events/0006_event_ends.sql?raw'
import baseline from './0001_baseline.sql?raw'

/** The baseline, then those of the modules, in the order of their numbers. */
export const MIGRATIONS: readonly Migration[] = [
  { name: '0001_baseline.sql', sql: baseline },
  { name: '0006_event_ends.sql', sql: eventEnds },
]
