import { CommitUnknown, NoConnection, READ_ONLY, TooManyWaiting } from './database.ts'

/**
 * Returns what a failure of Postgres means to the caller: out of reach, only busy, or lost in the middle of a
 * commit. Anything else is a bug of ours.
 */
export function outageKind(error: unknown): 'database_unavailable' | 'busy' | 'outcome_unknown' | null {
  if (error instanceof TooManyWaiting) return 'busy'
  if (error instanceof CommitUnknown) return 'outcome_unknown'
  if (error instanceof NoConnection) return 'database_unavailable'
  if (!(error instanceof Error)) return null
  const code = (error as { code?: unknown }).code
  if (typeof code === 'string') {
    if (BUSY.has(code)) return 'busy'
    if (UNREACHABLE.has(code) || code.startsWith('08')) return 'database_unavailable'
  }
  return DRIVER_MESSAGES.test(error.message) ? 'database_unavailable' : null
}

const BUSY = new Set([
  '55P03', // lock_not_available: lock_timeout
  '57014', // query_canceled: statement_timeout
  '40001', // serialization_failure
  '40P01', // deadlock_detected
])

const UNREACHABLE = new Set([
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  '53100', // disk_full
  '53200', // out_of_memory
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '57P04', // database_dropped
  '57P05', // idle_session_timeout
  READ_ONLY,
  '25P03', // idle_in_transaction_session_timeout
])

/** The driver gives these no code. */
const DRIVER_MESSAGES = /Connection terminated|not queryable|Client was closed|Query read timeout/i
