import type { Call } from './call.ts'

/** A header may be longer; its first languages are those that the reader prefers. */
const MOST = 200

/** The languages that the caller reads. */
export function languagesOf({ headers }: Pick<Call, 'headers'>): string | null {
  const wanted = headers['accept-language']
  return typeof wanted === 'string' && wanted !== '' ? wanted.slice(0, MOST) : null
}
