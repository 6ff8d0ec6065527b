import type { Migration } from '@voelgoed/kit/postgres/migrate'
import findAndMendOrders from '../modules/orders/0007_find_and_mend_orders.sql?raw'
import baseline from './0001_baseline.sql?raw'

/** The baseline, then those of the modules, in the order of their numbers. */
export const MIGRATIONS: readonly Migration[] = [
  { name: '0001_baseline.sql', sql: baseline },
  { name: '0007_find_and_mend_orders.sql', sql: findAndMendOrders },
]
