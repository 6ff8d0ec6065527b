import type { TenantTx } from '@voelgoed/kit/postgres/database'

export interface HoldOfPerson {
  readonly hold_id: string
  readonly event_id: string
  readonly quantity: number
  readonly status: string
  readonly ip: string | null
  readonly created_at: Date
}

/** Lists what a person holds and has held, the newest first. */
export function listHoldsOfPerson(tx: TenantTx, userId: string, limit: number): Promise<HoldOfPerson[]> {
  const living = (table: string, quantity: string) =>
    `(select hold_id, event_id, ${quantity} as quantity, 'active' as status, ip, created_at from ${table}
      where organization_id = $1 and user_id = $2 and status = 'held')`
  return tx.query<HoldOfPerson & Record<string, unknown>>(
    `${living('event_seats', '1')} union all ${living('place_holds', 'quantity')} union all
     (select id, event_id, quantity, status::text, ip, created_at from hold_history
      where organization_id = $1 and user_id = $2 order by id desc limit $3)
     order by created_at desc limit $3`,
    [userId, limit],
  )
}
