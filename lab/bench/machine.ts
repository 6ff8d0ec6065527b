import { execFileSync } from 'node:child_process'
import { cpus, release, totalmem, type } from 'node:os'
import program from '../../package.json' with { type: 'json' }

/** Without these a figure says nothing. */
export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryBytes: number
  readonly os: string
  readonly platform: string
  readonly node: string
  /** Null when none was needed. */
  readonly postgres: string | null
  /** The version of this package. */
  readonly version: string
  /** Null outside of a git repository, or before its first commit. */
  readonly commit: string | null
  readonly at: string
}

export function describeMachine(postgres: string | null): Machine {
  const cores = cpus()
  return {
    cpu: cores[0]?.model ?? 'unknown',
    cores: cores.length,
    memoryBytes: totalmem(),
    os: `${type()} ${release()}`,
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
    postgres,
    version: program.version,
    commit: readCommit(import.meta.dirname),
    at: new Date().toISOString(),
  }
}

/**
 * Reads the commit of the checkout in this folder, with a plus when something has been changed since. Null
 * outside of git.
 */
export function readCommit(folder: string): string | null {
  try {
    const commit = git(folder, 'rev-parse', '--verify', 'HEAD')
    return git(folder, 'status', '--porcelain', '--untracked-files=no') === '' ? commit : `${commit}+`
  } catch {
    return null
  }
}

function git(folder: string, ...args: string[]): string {
  const options = { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] as const }
  return execFileSync('git', args, { ...options, stdio: [...options.stdio] })
    .toString()
    .trim()
}
