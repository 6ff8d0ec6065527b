import type { Data } from '@voelgoed/client'

type Order = Pick<Data<'GET /api/orders/:order'>, 'total' | 'payments' | 'refunds'>

/** This happens with the money of tickets that are no longer valid. */
export type MoneyBack =
  | { readonly kind: 'free' | 'elsewhere' | 'awaited' }
  | {
      readonly kind: 'begun' | 'done' | 'failed'
      readonly amount: number
      /** Fees as well. */
      readonly isAll: boolean
      /** Else it is for the seller to hand it out. */
      readonly isToCard: boolean
      readonly begunAt: string
      /** About when it can be seen on the card; null: that is not up to a bank, or not known. */
      readonly by: string | null
    }

/** Banks show a refund within five to ten days on which they work. */
const BANK_MS = 14 * 24 * 60 * 60_000

export function moneyBackOf({ total, payments, refunds }: Order): MoneyBack {
  if (total === 0) return { kind: 'free' }
  if (total === null) return { kind: 'elsewhere' }
  const [first] = refunds
  if (!first) return { kind: 'awaited' }
  const amount = refunds.reduce((sum, refund) => sum + (refund.amount ?? 0), 0)
  const isToCard = payments.some(({ method }) => method === 'gateway')
  const has = (status: (typeof refunds)[number]['status']) => refunds.some(refund => refund.status === status)
  const kind = has('failed') ? 'failed' : has('pending') ? 'begun' : 'done'
  const begunAt = refunds.reduce(
    (last, { created_at }) => (created_at > last ? created_at : last),
    first.created_at,
  )
  const by = isToCard && kind !== 'failed' ? new Date(Date.parse(begunAt) + BANK_MS).toISOString() : null
  return { kind, amount, isAll: amount >= total, isToCard, begunAt, by }
}
