/** Did a system call fail, and with one of these codes? Without codes: with any. */
export function isSystemError(error: unknown, ...codes: string[]): error is NodeJS.ErrnoException {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return false
  return codes.length === 0 || codes.includes(String(error.code))
}

/** "EACCES: permission denied" out of "EACCES: permission denied, mkdir '/x'": our lines name the path. */
export function reasonOf(error: NodeJS.ErrnoException): string {
  return error.message.split(', ', 1)[0]!
}
