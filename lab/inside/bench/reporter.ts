/** How a task tells its parent process what it does: a line of JSON each (see in-process.ts). */
export interface Reporter {
  /** For people. */
  say(line: string): void
  /** Around what is timed, so that processor time can be read from outside at these moments. */
  mark(name: 'begin' | 'end'): void
}
