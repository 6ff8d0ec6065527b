import { hostname } from 'node:os'
import { type Logger, pino } from 'pino'
import type { Config } from './config.ts'
import { LogStream, openStandardError } from './log-stream.ts'

let stream: LogStream | null = null

/** JSON lines on standard error. Those of a worker carry its number. */
export function openLog({ logLevel }: Pick<Config, 'logLevel'>, worker?: number): Logger {
  const base = { pid: process.pid, hostname: hostname(), ...(worker !== undefined && { worker }) }
  if (!stream) {
    const opened = new LogStream(openStandardError())
    process.on('exit', () => opened.flushSync())
    stream = opened
  }
  return pino({ level: logLevel, base }, stream)
}

/** Of this process. */
export function lostLogLines(): number {
  return stream?.lost ?? 0
}
