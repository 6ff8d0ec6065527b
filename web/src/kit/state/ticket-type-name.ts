import type { Data } from '@voelgoed/client'

/** Orders have the key of a ticket type; people know it by its name. Two categories may share a key. */
export function ticketTypeName(
  prices: Pick<Data<'GET /api/events/:event/prices'>, 'categories'> | null,
  key: string,
  amount: number | null,
): string {
  const types = (prices?.categories ?? []).flatMap(category => category.ticket_types)
  const named = types.filter(type => type.key === key)
  return (named.find(type => type.amount === amount) ?? named[0])?.name ?? key
}
