import { hostname } from 'node:os'
import { type LevelWithSilent, type Logger, pino } from 'pino'
import { LogStream, openStandardError } from './log-stream.ts'

let stream: LogStream | null = null

/** JSON lines on standard error. Those of a worker carry its number. */
export function openLog({ logLevel }: { readonly logLevel: LevelWithSilent }, worker?: number): Logger {
  const base = { pid: process.pid, hostname: hostname(), ...(worker !== undefined && { worker }) }
  if (!stream) {
    const opened = new LogStream(openStandardError())
    process.on('exit', () => opened.flushSync())
    stream = opened
  }
  return pino({ level: logLevel, base }, stream)
}

/** Counts the lost lines of this process. */
export function lostLogLines(): number {
  return stream?.lost ?? 0
}
