/** Did Postgres refuse this because of that very constraint? */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  const { code, constraint: violated } = error as { code?: string; constraint?: string }
  return code === '23505' && violated === constraint
}

/** Postgres can read the statement but not a value in it (22), or a constraint refuses a row (23). */
export function isBadRow(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && /^2[23]/.test(code)
}

/** Another transaction has changed a row since this one's snapshot: it may be tried again. */
export function isOvertaken(error: unknown): boolean {
  return (error as { code?: unknown }).code === '40001'
}
