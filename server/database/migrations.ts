import type { Migration } from '@voelgoed/kit/postgres/migrate'
import personalData from '../modules/personal-data/0003_personal_data.sql?raw'
import eventEnds from '../modules/events/0006_event_ends.sql?raw'
import findAndMendOrders from '../modules/orders/0007_find_and_mend_orders.sql?raw'
import baseline from './0001_baseline.sql?raw'

/** The baseline, then those of the modules, in the order of their numbers. */
export const MIGRATIONS: readonly Migration[] = [
  { name: '0001_baseline.sql', sql: baseline },
  { name: '0003_personal_data.sql', sql: personalData },
  { name: '0006_event_ends.sql', sql: eventEnds },
  { name: '0007_find_and_mend_orders.sql', sql: findAndMendOrders },
]
