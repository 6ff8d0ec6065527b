import { StartupError } from './startup-error.ts'

/**
 * The terminal, or the pipe that stands for it, may go while the server runs (`npm start | head`). Without
 * this the next line to it would end the process.
 */
export function outliveTerminal(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
}

/** Says things to a person on standard output; logs go to standard error as JSON lines. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Ends the process that could not start. */
export function giveUp(error: unknown): never {
  process.stderr.write(`voelgoed: ${explain(error)}\n`)
  process.exit(1)
}

/** One line for what an operator can put right; a stack only for what is our fault. */
export function explain(error: unknown): string {
  return error instanceof StartupError
    ? error.message
    : `could not start: ${(error as Error).stack ?? String(error)}`
}

export function tellRootKey(key: string): void {
  say(`Platform key (shown this once): ${key}`)
}
