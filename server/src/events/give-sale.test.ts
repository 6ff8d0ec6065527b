import type { Command } from '@voelgoed/core/event/command'
import type { Outcome } from '@voelgoed/core/event/decision'
import type { HoldId } from '@voelgoed/core/ids'
import { expect, it } from 'vitest'
import type { TenantTx } from '../postgres/database.ts'
import { giveSale } from './give-sale.ts'

it('tickets of a hold of many places are numbered in the order of their ids, as gates count them', async () => {
  const given: Command[] = []
  const give = (command: Command): Outcome => {
    given.push(command)
    return { ok: false, problem: { kind: 'hold_not_found' } } as Outcome
  }
  const holds = [{ holdId: 'h' as HoldId, quantity: 60, cartToken: null, ended: null }]
  const sale = { orderId: 'o', actor: {}, buyer: {}, guests: {}, holds, allowStranding: true, now: 0 }
  await giveSale({} as TenantTx, give, sale as never)
  const [command] = given
  if (command?.kind !== 'sell') throw new Error('nothing was sold')
  expect(command.ticketIds).toHaveLength(60)
  expect(command.ticketIds).toEqual([...command.ticketIds].sort())
})
