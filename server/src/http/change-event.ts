import type { Route } from '@voelgoed/core/contract/route'
import type { EventId } from '@voelgoed/core/ids'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import type { SignedIn } from '../accounts/principals.ts'
import { changeBeforeSale, changeOnSale, type EventChange, type SavedEvent } from '../events/change-event.ts'
import type { Answer, Call } from './call.ts'
import type { AppDeps } from './deps.ts'
import { given } from './given.ts'
import { inTenant } from './transactions.ts'

/** A request that changes the event of its path. */
type ChangeCall = Omit<Call<Route>, 'principal' | 'params' | 'body' | 'query' | 'route'> & {
  readonly principal: SignedIn
  readonly params: { readonly event: string }
}

/** Once an event has been on sale, its changes go through its lane. */
export async function changeEvent(
  { database, lanes }: Pick<AppDeps, 'database' | 'lanes'>,
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
