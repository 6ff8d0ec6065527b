import type { HoldId } from '@voelgoed/core/ids'
import { expect, it } from 'vitest'
import { sellCommand } from './sale.ts'

it('tickets of a hold of many places are numbered in the order of their ids, as gates count them', () => {
  const holds = [{ holdId: 'h' as HoldId, quantity: 60, cartToken: null, ended: null }]
  const sale = { orderId: 'o', actor: {}, buyer: {}, guests: {}, holds, allowStranding: true, now: 0 }
  const { ticketIds } = sellCommand(sale as never)
  expect(ticketIds).toHaveLength(60)
  expect(ticketIds).toEqual([...ticketIds].sort())
})
