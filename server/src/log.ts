import { hostname } from 'node:os'
import { type Logger, pino } from 'pino'
import type { Config } from './config.ts'

/**
 * Lines leave together, a tenth of a second late at most; when no process reads them, some lines are dropped,
 * so that memory stays bounded.
 */
const LOG_BUFFER = { minLength: 2_048, periodicFlush: 100, maxLength: 16 * 1024 * 1024 }

/**
 * Several workers write to one pipe, which takes up to 4,096 bytes as a whole. More than that could be mixed
 * with the lines of another worker.
 */
const WHOLE_WRITE_BYTES = 4_096

/** JSON lines on standard error. Those of a worker carry its number. */
export function openLog({ logLevel }: Pick<Config, 'logLevel'>, worker?: number): Logger {
  const base = { pid: process.pid, hostname: hostname(), ...(worker !== undefined && { worker }) }
  const options = { fd: 2, sync: false, ...LOG_BUFFER, maxWrite: WHOLE_WRITE_BYTES }
  return pino({ level: logLevel, base }, pino.destination(options))
}
