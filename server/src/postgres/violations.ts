/** Did Postgres refuse this because of that very constraint? */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  const { code, constraint: violated } = error as { code?: string; constraint?: string }
  return code === '23505' && violated === constraint
}
