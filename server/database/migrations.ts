import type { Migration } from '@voelgoed/kit/postgres/migrate'
import sellers from '../modules/people/0002_sellers.sql?raw'
import baseline from './0001_baseline.sql?raw'

/** The baseline, then those of the modules, in the order of their numbers. */
export const MIGRATIONS: readonly Migration[] = [
  { name: '0001_baseline.sql', sql: baseline },
  { name: '0002_sellers.sql', sql: sellers },
]
