import type { Database } from '@voelgoed/kit/postgres/database'

/** Tells a person whose installation has no organization yet, and no demo, how to go on. */
export async function firstSteps(database: Database): Promise<string[]> {
  const rows = await database.platform('administer organizations', tx =>
    tx.query('select from organizations limit 1'),
  )
  if (rows.length > 0) return []
  return [
    'There is no organization yet. The platform key makes the first one and its admin:',
    '  docs/operate/operating.md, "The first organization", has the commands.',
  ]
}
