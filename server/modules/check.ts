/**
 * A query returns the rows which break an invariant of our database. It trusts nothing but the tables:
 * neither our code nor the constraints. Numbers are those of the invariants in the project's list. Those that
 * only show over time or outside the database (9, 12, 14, 17) can't be asked here. A module has its own in
 * `checks.ts`, and in `plants.fixture.ts` a violation for each.
 */
export interface Check {
  readonly invariant: number
  readonly name: string
  /** It goes through the rows of this table: the report names them. */
  readonly over: string
  /** `$1`, where it is used: for how many seconds an expired hold may stay untidied. */
  readonly sql: string
  /** Says something of how well the reaper keeps up, not of what was granted. */
  readonly isTidiness?: true
}
