import { spawnSync } from 'node:child_process'
import { expect } from 'vitest'

/** Comes with Prometheus. Where it is missing, tests check less. */
const PROMTOOL = 'promtool'

export const hasPromtool = spawnSync(PROMTOOL, ['--version']).status === 0

/** Runs it in the root of the repository, and fails with what it says when it is not content. */
export function expectPromtool(args: readonly string[], input = ''): { said: string } {
  const cwd = new URL('../', import.meta.url)
  const { status, stdout, stderr } = spawnSync(PROMTOOL, args, { cwd, input, encoding: 'utf8' })
  const said = `${stdout}${stderr}`
  expect(status, said).toBe(0)
  return { said }
}
