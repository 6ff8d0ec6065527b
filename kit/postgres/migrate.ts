import { createHash } from 'node:crypto'
import type pg from 'pg'
import { StartupError } from '../base/startup-error.ts'

/** Any constant does; it must only be the same for every node. */
const ADVISORY_LOCK = 8_633_421_907

/** For the rest of a transaction: the owner's policies show it the rows of all organizations. */
export const SEE_ALL = `set local app.all_organizations = 'on'`

/** One file: its name begins with its number, and its text never changes once it was released. */
export interface Migration {
  readonly name: string
  readonly sql: string
}

export interface MigrationReport {
  readonly applied: readonly string[]
}

/**
 * Brings the schema up to date. Safe when several nodes start at once: one migrates, the others wait for it
 * and find nothing left to do. Each migration runs in a transaction of its own, with its record.
 * Refuses a database that a newer version has migrated: what it wrote there, this version may not understand.
 */
export async function migrate(owner: pg.Client, migrations: readonly Migration[]): Promise<MigrationReport> {
  await owner.query('select pg_advisory_lock($1)', [ADVISORY_LOCK])
  try {
    await ensureRoles(owner)
    await owner.query(
      `create table if not exists schema_migrations (
         name text primary key, checksum text not null, applied_at timestamptz not null default now())`,
    )
    const { rows } = await owner.query<{ name: string; checksum: string }>(
      'select name, checksum from schema_migrations order by name',
    )
    const done = new Map(rows.map(row => [row.name, row.checksum]))
    checkVersion([...done.keys()], migrations)
    if (migrations.some(({ name }) => !done.has(name))) await checkSight(owner)
    const applied: string[] = []
    for (const { name, sql } of migrations) {
      const checksum = createHash('sha256').update(sql).digest('hex')
      const before = done.get(name)
      if (before === checksum) continue
      if (before !== undefined) {
        throw new StartupError(`migration ${name} was changed after it was applied to this database`)
      }
      await owner.query('begin')
      try {
        // A migration may write to rows of every organization; an owner who does not say so sees none.
        await owner.query(SEE_ALL)
        await owner.query(sql)
        await owner.query('insert into schema_migrations (name, checksum) values ($1, $2)', [name, checksum])
        await owner.query('commit')
      } catch (error) {
        await owner.query('rollback')
        throw error
      }
      applied.push(name)
    }
    return { applied }
  } finally {
    await owner.query('select pg_advisory_unlock($1)', [ADVISORY_LOCK])
  }
}

/** Every database that this version can bring up to date began with the baseline. */
function checkVersion(done: readonly string[], [baseline, ...later]: readonly Migration[]): void {
  if (done.length > 0 && !done.includes(baseline!.name)) {
    throw new StartupError(
      `the database was made by a version from before ${baseline!.name} (its last migration is ${done.at(-1)}), and can't be brought up to date: ` +
        'start that version, or give this one an empty database (DATABASE_URL, or another VOELGOED_DATA_DIR)',
    )
  }
  const unknown = done.filter(one => one !== baseline!.name && !later.some(({ name }) => name === one))
  if (unknown.length > 0) {
    throw new StartupError(
      `the database has been migrated by a newer version (${unknown.join(', ')}): start that version, or restore the backup from before`,
    )
  }
}

/** To an owner who does not inherit the role, every table looks empty: its rows would not be migrated. */
async function checkSight(owner: pg.Client): Promise<void> {
  const { rows } = await owner.query<{ sees: boolean; name: string }>(
    `select current_user as name, pg_has_role(current_user, 'voelgoed_platform', 'usage') as sees`,
  )
  const { sees, name } = rows[0]!
  if (sees) return
  throw new StartupError(
    `DATABASE_URL: its user would migrate no rows of organizations, because it does not inherit voelgoed_platform. ` +
      `Let a superuser run: alter role ${name} inherit; grant voelgoed_app, voelgoed_platform to ${name}; ` +
      `(on Postgres 16 and newer: … to ${name} with inherit true;)`,
  )
}

/** Roles belong to the cluster, so another database's start may make them at the same moment. */
async function ensureRoles(owner: pg.Client): Promise<void> {
  for (const role of ['voelgoed_app', 'voelgoed_platform']) {
    try {
      await owner.query(`do $$ begin
        if not exists (select from pg_roles where rolname = '${role}') then
          create role ${role} nologin;
        end if;
        begin
          -- Also for a role we made ourselves: since Postgres 16 that alone does not let us act as it.
          grant ${role} to current_user;
        exception when insufficient_privilege or internal_error then
          if not pg_has_role(current_user, '${role}', 'member') then raise; end if;
        end;
      exception when duplicate_object or unique_violation then null;
      end $$`)
    } catch (error) {
      if ((error as { code?: string }).code !== '42501') throw error
      throw new StartupError(
        `DATABASE_URL: its user may not create the role ${role}. Let a superuser run: ` +
          `create role ${role} nologin; grant ${role} to <that user>;`,
      )
    }
  }
}
