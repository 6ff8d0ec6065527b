/** Nothing of the caller's own installation may leak into a server of the lab: above all not its database. */
export function cleanEnvironment(): Record<string, string> {
  const clean: Record<string, string> = {}
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && !OURS.test(name)) clean[name] = value
  }
  return clean
}

const OURS = /^(VOELGOED_.*|DATABASE_URL|REDIS_URL|HOST|PORT|PG[A-Z]+|OTEL_.*)$/
