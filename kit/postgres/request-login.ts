import type pg from 'pg'

/** A login for the connections of requests, which is not the owner of the database. */
export interface RequestLogin {
  readonly user: string
  readonly password: string
}

/**
 * Makes the login, or gives it this password. It may act as the two roles of requests and has no rights of
 * its own: `set role none` on one of its connections can do nothing. Needs an owner who may create roles.
 */
export async function ensureRequestLogin(owner: pg.Client, { user, password }: RequestLogin): Promise<void> {
  const name = owner.escapeIdentifier(user)
  const { rows } = await owner.query('select from pg_roles where rolname = $1', [user])
  await owner.query(
    `${rows.length === 0 ? 'create' : 'alter'} role ${name}
     login noinherit nosuperuser nocreatedb nocreaterole noreplication nobypassrls
     password ${owner.escapeLiteral(password)}`,
  )
  await owner.query(`grant voelgoed_app, voelgoed_platform to ${name}`)
}

export function asRequestLogin(ownerUrl: string, { user, password }: RequestLogin): string {
  const url = new URL(ownerUrl)
  url.username = user
  url.password = password
  return url.href
}
