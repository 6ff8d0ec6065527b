import pg from 'pg'

/**
 * A database whose clock tests can put forward. `now()` and `clock_timestamp()` are functions of its own
 * there, found before those of Postgres: by every statement of the server, and by every default, policy and
 * trigger that is made after them. A sequence says how many milliseconds have passed, because all
 * transactions see it at once. The statements of the server are those of production, which has no such
 * functions.
 */
const CLOCK = `
  create schema testing;
  create sequence testing.passed_ms minvalue 0 start 0;
  grant usage on schema testing to public;
  grant select on testing.passed_ms to public;
  create function now() returns timestamptz language sql stable parallel safe as
    'select pg_catalog.now() + (select last_value from testing.passed_ms) * interval ''1 ms''';
  create function clock_timestamp() returns timestamptz language sql volatile parallel safe as
    'select pg_catalog.clock_timestamp() + (select last_value from testing.passed_ms) * interval ''1 ms''';`

/** Before anything is made in it. */
export async function makeClockMovable(database: pg.Client): Promise<void> {
  await database.query(CLOCK)
  await database.query(`set ${OUR_CLOCK_FIRST}`)
}

/** A copy of a database does not copy its settings. */
export async function findOurClockFirst(admin: pg.Client, name: string): Promise<void> {
  await admin.query(`alter database ${pg.escapeIdentifier(name)} set ${OUR_CLOCK_FIRST}`)
}

const OUR_CLOCK_FIRST = 'search_path = public, pg_catalog'

/** So much time passes for all who ask the database. */
export const TIME_PASSES = `select setval('testing.passed_ms', last_value + $1) from testing.passed_ms`
