import { randomUUID } from 'node:crypto'
import type { OrganizationId } from '@voelgoed/core/ids'
import { hashSecret, makeToken } from '@voelgoed/kit/http/tokens'
import type { TestDatabase } from './test-database.ts'

export interface Buyer {
  readonly userId: string
  readonly token: string
}

/**
 * So many guests with open sessions, written straight into the tables: signing a thousand in takes a minute.
 */
export async function createBuyers(
  database: Pick<TestDatabase, 'sql'>,
  organizationId: string,
  count: number,
): Promise<Buyer[]> {
  const buyers = Array.from({ length: count }, () => ({
    userId: randomUUID(),
    token: makeToken(organizationId as OrganizationId),
  }))
  const userIds = buyers.map(buyer => buyer.userId)
  await database.sql(
    `insert into users (organization_id, id, role) select $1, id, 'customer' from unnest($2::uuid[]) as u (id)`,
    [organizationId, userIds],
  )
  await database.sql(
    `insert into sessions (organization_id, token_hash, user_id, expires_at)
     select $1, s.token_hash, s.user_id, now() + interval '1 day'
     from unnest($2::bytea[], $3::uuid[]) as s (token_hash, user_id)`,
    [organizationId, buyers.map(buyer => hashSecret(buyer.token)), userIds],
  )
  return buyers
}
