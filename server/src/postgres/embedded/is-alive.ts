import { isSystemError } from './system-error.ts'

/** Is there a process with this pid, whoever it is? Signal 0 is only asked about, not sent. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return isSystemError(error, 'EPERM')
  }
}
