import { isSystemError } from './system-error.ts'

/** Is there any process with this pid? Signal 0 only checks; it is not delivered. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return isSystemError(error, 'EPERM')
  }
}
