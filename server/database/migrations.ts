import type { Migration } from '@voelgoed/kit/postgres/migrate'
import eventEnds from '../modules/events/0003_event_ends.sql?raw'
import findAndMendOrders from '../modules/orders/0004_find_and_mend_orders.sql?raw'
import sellers from '../modules/people/0005_sellers.sql?raw'
import personalData from '../modules/personal-data/0002_personal_data.sql?raw'
import baseline from './0001_baseline.sql?raw'

/** The baseline, then those of the modules, in the order of their numbers. */
export const MIGRATIONS: readonly Migration[] = [
  { name: '0001_baseline.sql', sql: baseline },
  { name: '0002_personal_data.sql', sql: personalData },
  { name: '0003_event_ends.sql', sql: eventEnds },
  { name: '0004_find_and_mend_orders.sql', sql: findAndMendOrders },
  { name: '0005_sellers.sql', sql: sellers },
]
