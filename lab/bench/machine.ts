import { execFileSync } from 'node:child_process'
import { cpus, totalmem } from 'node:os'

/** Without these a figure says nothing. */
export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryBytes: number
  readonly node: string
  readonly platform: string
  /** Null outside of a git repository, or before its first commit. */
  readonly commit: string | null
  readonly at: string
}

export function describeMachine(): Machine {
  const cores = cpus()
  return {
    cpu: cores[0]?.model ?? 'unknown',
    cores: cores.length,
    memoryBytes: totalmem(),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    commit: readCommit(),
    at: new Date().toISOString(),
  }
}

function readCommit(): string | null {
  try {
    const git = execFileSync('git', ['rev-parse', '--verify', 'HEAD'], {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return git.toString().trim()
  } catch {
    return null
  }
}
