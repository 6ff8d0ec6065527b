import { execFileSync } from 'node:child_process'

/** As many as anything here wants at once: 20,000 buyers and their feeds. */
const WANTED = 65_536

/**
 * Each connection is an open file, and a process may have only so many. Infinity: no limit,
 * or none to be seen.
 */
function mostOpenFiles(): number {
  if (process.platform === 'win32') return Number.POSITIVE_INFINITY
  const said = execFileSync('sh', ['-c', `${RAISE} ulimit -n`])
    .toString()
    .trim()
  return said === 'unlimited' ? Number.POSITIVE_INFINITY : Number(said)
}

/** A command line that raises the limit as far as it may before it becomes the program. */
export function withOpenFiles(program: string, args: readonly string[]): [string, string[]] {
  if (process.platform === 'win32') return [program, [...args]]
  return ['sh', ['-c', `${RAISE} exec "$0" "$@"`, program, ...args]]
}

/** The most that may be, else as far as the hard limit. */
const RAISE = `ulimit -n ${WANTED} 2>/dev/null || ulimit -n "$(ulimit -Hn)" 2>/dev/null;`

/** Null: there is room for so many connections in one process. */
export function tooFewOpenFiles(connections: number): string | null {
  const most = mostOpenFiles()
  // Besides connections: Postgres, logs, modules.
  if (connections + 200 <= most) return null
  return (
    `${connections.toLocaleString('en')} connections may be open at once, but a process here may open ` +
    `${most.toLocaleString('en')} files: raise it with "ulimit -n ${connections + 200}" or in /etc/security/limits.conf`
  )
}
