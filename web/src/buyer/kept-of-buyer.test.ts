import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fakeBrowser } from '../../test/fake-browser.ts'
import {
  contactOf,
  countKeptTickets,
  type KeptOrder,
  keepContact,
  keepOrder,
  keptOrder,
  leaveOnDevice,
} from './checkout/kept.ts'
import { TicketChoices } from './event/cart/ticket-choices.svelte.ts'
import { forgetBuyer, handOnBuyer } from './kept-of-buyer.ts'

type Visitor = NonNullable<ConstructorParameters<typeof TicketChoices>[0]['visitor']>
const user = (id: string, email: string | null = null) => ({ id, email }) as Visitor['user']
const piet = user('piet')
const member = user('member', 'member@voelgoed.example')

beforeEach(() => {
  fakeBrowser()
})
afterEach(() => vi.unstubAllGlobals())

describe('the address that a checkout begins with', () => {
  it('is the one that this guest gave before, and the account’s for a person who has signed in', () => {
    expect(contactOf(undefined)).toEqual({ name: '', email: '' })
    keepContact('piet', { name: 'Piet Botha', email: 'piet@right.example' })
    expect(contactOf(piet)).toEqual({ name: 'Piet Botha', email: 'piet@right.example' })
    expect(contactOf(user('another guest'))).toEqual({ name: '', email: '' })
    expect(contactOf(member)).toEqual({ name: '', email: 'member@voelgoed.example' })
    keepContact('member', { name: 'Mem Ber', email: 'office@voelgoed.example' })
    expect(contactOf(member)).toEqual({ name: 'Mem Ber', email: 'member@voelgoed.example' })
  })

  it('stays with the guest who wrote it when they sign in, or when their session ends', () => {
    keepContact('piet', { name: 'Piet Botha', email: 'piet@right.example' })
    handOnBuyer('piet', 'member')
    expect(contactOf(member).name).toBe('')
    handOnBuyer('piet', 'new guest')
    expect(contactOf(user('new guest'))).toEqual({ name: '', email: '' })
    forgetBuyer('member')
    expect(contactOf(piet)).toEqual({ name: '', email: '' })
  })

  it('is not what an older page kept without saying whose it is', () => {
    localStorage.setItem('voelgoed:contact', JSON.stringify({ name: 'Piet', email: 'piet@right.example' }))
    expect(contactOf(piet)).toEqual({ name: '', email: '' })
  })
})

describe('what else is kept of buying', () => {
  it('are the tickets of a person who signs out: they go, or stay on the device if they say so', () => {
    const tickets = [{ status: 'valid' }, { status: 'valid' }, { status: 'void' }]
    const order = { order_id: 'order', tickets } as unknown as KeptOrder['order']
    const kept = { userId: 'member', order, event: null, typeNames: {}, codes: {} }
    keepOrder(kept)
    expect([countKeptTickets('member'), countKeptTickets('piet')]).toEqual([2, 0])
    expect(keptOrder('order', 'piet')).toBeNull()
    forgetBuyer('member')
    expect(keptOrder('order', 'member')).toBeNull()

    keepOrder(kept)
    leaveOnDevice('member')
    forgetBuyer('member')
    expect(keptOrder('order', 'the next guest')).toMatchObject({ order })
    // The account's again, once it has signed in and opened it.
    keepOrder(kept)
    expect(keptOrder('order', 'the next guest')).toBeNull()
  })

  it('has the ticket types of the person who chose them, also once they have signed in', () => {
    let visitor = { user: piet } as Visitor
    const session = {
      get visitor() {
        return visitor
      },
    }
    const here = new TicketChoices(session, 'event')
    here.choose({ 'seat 1': 'child' })
    expect(here.typeOf('seat 1')).toBe('child')
    visitor = { ...visitor, user: member }
    handOnBuyer('piet', 'member')
    const opened = new TicketChoices(session, 'event')
    expect(opened.typeOf('seat 1')).toBe('child')
    visitor = { ...visitor, user: user('another guest') }
    const others = new TicketChoices(session, 'event')
    expect(others.typeOf('seat 1')).toBeUndefined()
    forgetBuyer('another guest')
    visitor = { ...visitor, user: member }
    const again = new TicketChoices(session, 'event')
    expect(again.typeOf('seat 1')).toBe('child')
    for (const choices of [here, opened, others, again]) choices.close()
  })
})
