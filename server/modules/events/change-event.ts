import type { Route } from '@voelgoed/contract/route'
import type { EventId } from '@voelgoed/core/ids'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import type { Lanes } from '@voelgoed/engine/lane/lanes'
import type { Answer, Call } from '@voelgoed/kit/http/call'
import { given } from '@voelgoed/kit/http/given'
import type { SignedIn } from '@voelgoed/kit/http/principals'
import { inTenant } from '@voelgoed/kit/http/transactions'
import type { Kit } from '../module.ts'
import { changeBeforeSale, changeOnSale, type EventChange, type SavedEvent } from './change-an-event.ts'

/** A request that changes the event of its path. */
type ChangeCall = Omit<Call<Route>, 'principal' | 'params' | 'body' | 'query' | 'route'> & {
  readonly principal: SignedIn
  readonly params: { readonly event: string }
}

/** Once an event has been on sale, its changes go through its lane. */
export async function changeEvent(
  { database, lanes }: Pick<Kit, 'database'> & { readonly lanes: Pick<Lanes, 'lane'> },
  call: ChangeCall,
  {
    answer,
    ...change
  }: Pick<EventChange, 'verb' | 'next' | 'details'> & { answer(saved: SavedEvent): Answer },
): Promise<Result<Answer, Refusal>> {
  const { scope } = call.principal
  const eventId = call.params.event
  const asked: EventChange = { ...change, eventId, by: call.by, given: () => given(call) }
  const lane = () => lanes.lane(scope, eventId as EventId)
  const onSale = async () => {
    const saved = await lane().exclusive((tx, give, current) => changeOnSale(tx, asked, give, current))
    return saved.ok ? ok(answer(saved.value)) : saved
  }
  if (await lane().ready()) return onSale()
  let wasPublished = false
  const result = await inTenant(database, scope, call as unknown as Call, async tx => {
    const saved = await changeBeforeSale(tx, asked)
    wasPublished = saved === 'on sale'
    if (saved === 'on sale') return refuse({ kind: 'event_not_found' })
    return saved.ok ? ok(answer(saved.value)) : saved
  })
  return wasPublished ? onSale() : result
}
