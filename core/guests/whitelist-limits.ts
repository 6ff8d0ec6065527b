/** One event may have so many. */
export const MAX_WHITELIST = 10_000
/**
 * One CSV text may have so many, without its header: it is read on the serving thread, in about 10 ms (40 ms
 * the first time).
 */
export const WHITELIST_CSV_ROWS = 5_000
export const WHITELIST_CSV_CHARACTERS = 512 * 1024
/** Entries of one JSON body. */
export const WHITELIST_ADD_ENTRIES = 1_000
export const NOTE_LENGTH = 200
