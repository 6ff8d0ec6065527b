import type { Locator } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { checkoutSteps, GOOD } from './checkout-steps.ts'
import { expectAccessible, expectFits, type Stage, setStage, text } from './stage.ts'

/** Buyers who change the cart, or who they are, while a payment of theirs is not paid yet. */

let stage: Stage
beforeAll(async () => {
  stage = await setStage()
})
afterEach(() => stage.closePages())
afterAll(() => stage.close())

const { visitToPay, fillCard, payWith } = checkoutSteps(() => stage)
const DECLINED = '4000000000000002'
const STEP = '4000002500003155'
const LATE = '4000000000000341'
const DESK = { width: 1280, height: 800 }

/** A finger would touch it: nothing lies over its middle. In one look, because good news goes by itself. */
const isOnTop = (what: Locator): Promise<unknown> =>
  what.evaluate(notice => {
    const { x, y, width, height } = notice.getBoundingClientRect()
    return notice.ownerDocument.elementFromPoint(x + width / 2, y + height / 2)!.closest('.notice') !== null
  })

const orderOf = async (id: string) => {
  const { support: token } = stage.shop.tokens
  return (await stage.server.request('GET', `/api/admin/orders/${id}`, { token })).body.data
}

describe('a buyer who changes the cart', () => {
  it('after a decline: what the last button says is charged, for the address that was typed last', async () => {
    const { page, id } = await visitToPay()
    await payWith(page, DECLINED)
    await page.getByRole('alert').getByText('Not paid yet').waitFor()
    await text(page, /^From your first try to pay, your seats are kept for up to 15 minutes/)
    await text(page, /Your tickets go to ben@example.org\./)
    await page.getByRole('link', { name: 'Back to the seats' }).click()
    await text(page, /^Not paid yet · R\s?815[.,]00$/)
    expect(await page.getByRole('link', { name: 'Check out' }).count()).toBe(0)
    await expectAccessible(page, 'an order that is not paid')
    await expectFits(page, 'an order that is not paid')

    await page.getByRole('button', { name: 'Show my seats' }).click()
    await page.getByRole('button', { name: 'One more Child' }).click()
    const notice = page.getByText(/^That payment is over, and you were not charged/)
    expect(await isOnTop(notice)).toBe(true)
    await expectAccessible(page, 'a notice in the open sheet')
    await page.getByRole('link', { name: 'Check out' }).click()
    await page.getByLabel('Full name').fill('Thandi Nkosi')
    await page.getByLabel('Email address').fill('thandi@example.com')
    await page.getByRole('button', { name: /^Continue to payment · R\s?415[.,]00$/ }).click()
    await text(page, /Your tickets go to thandi@example.com\./)
    const next = page.url().split('/').at(-1)!
    expect(next).not.toBe(id)
    await fillCard(page, GOOD)
    await page.getByRole('button', { name: /^Pay R\s?415[.,]00$/ }).click()
    await page.waitForURL(`**/orders/${next}`)
    const contact = { name: 'Thandi Nkosi', email: 'thandi@example.com' }
    expect(await orderOf(next)).toMatchObject({ total: 41_500, contact, tickets: [{}] })
  })

  it('who mends the address alone goes on with the same order', async () => {
    const { page, id } = await visitToPay()
    await payWith(page, DECLINED)
    await page.getByRole('alert').getByText('Not paid yet').waitFor()
    await page.getByRole('link', { name: 'Change your details' }).click()
    await page.getByLabel('Full name').fill('Thandi Nkosi')
    await page.getByLabel('Email address').fill('thandi@example.com')
    await page.getByRole('button', { name: /^Continue to payment/ }).click()
    await page.waitForURL(`**/checkout/${id}`)
    await text(page, /Your tickets go to thandi@example.com\./)
  })

  it('while a bank decides can not, and sees why and how it goes on', async () => {
    const { page, id, hall } = await visitToPay()
    await payWith(page, LATE)
    await text(page, /^Your bank has not decided yet/)
    await text(page, /You may close this page: once it is paid, your tickets go to ben@example\.org\./)
    await page.getByRole('link', { name: 'To the event' }).click()
    await text(page, /^Payment under way · R\s?815[.,]00$/)
    await page.getByRole('button', { name: 'Show my seats' }).click()
    await text(page, /^Your bank is deciding\. Until then your seats stay as they are/)
    expect(await page.getByRole('button', { name: 'One more Child' }).isDisabled()).toBe(true)
    expect(await page.getByRole('button', { name: /^Release: / }).isDisabled()).toBe(true)
    expect(await page.getByRole('button', { name: 'Change seats' }).count()).toBe(0)
    await expectAccessible(page, 'a bank decides')
    await page.setViewportSize(DESK)
    await text(page, /^Payment under way · R\s?815[.,]00$/)
    await expectFits(page, 'a bank decides')

    await page.goto(`${stage.url}/${stage.shop.slug}/events/${hall.eventId}/checkout`)
    await text(page, /^Payment under way · R\s?815[.,]00$/)
    expect(await page.getByLabel('Email address').count()).toBe(0)
    expect(await page.getByRole('combobox', { name: /^Ticket type/ }).count()).toBe(0)
    await page.getByRole('link', { name: 'Continue' }).click()
    await page.waitForURL(`**/checkout/${id}`)
  })

  it('whose bank says no is told so when they are back', async () => {
    const { page } = await visitToPay()
    await payWith(page, STEP)
    await page.getByRole('button', { name: 'Decline' }).click()
    const alert = page.getByRole('alert')
    await alert.getByText('Not paid yet').waitFor()
    await alert
      .getByText('The bank did not confirm that it is you. Try again, or use another card.')
      .waitFor()
    await page.reload()
    await alert
      .getByText('The bank did not confirm that it is you. Try again, or use another card.')
      .waitFor()
  })

  it('and had confirmed at the bank meanwhile: the tickets are theirs, and the page says so', async () => {
    const { page, id } = await visitToPay()
    await payWith(page, STEP)
    await page.getByRole('button', { name: 'Decline' }).waitFor()
    const step = decodeURIComponent(new URL(page.url()).pathname.split('/').at(-1)!)
    await page.getByRole('link', { name: 'Back without an answer' }).click()
    await page.getByRole('link', { name: 'Back to the seats' }).click()
    await text(page, /^Not paid yet · R\s?815[.,]00$/)
    const { party } = stage.server.node.payments.fakeBank!
    const intent = (await party.stepAt(step))!
    await party.answerStep(step, party.tokens.formToken(intent), 'accept')
    // Whichever is first: the answer to the press, or the seat that is sold.
    await page
      .getByRole('button', { name: 'Change seats' })
      .click()
      .catch(() => {})
    await page.getByRole('link', { name: 'See your tickets' }).click()
    await page.waitForURL(`**/orders/${id}`)
    expect(await orderOf(id)).toMatchObject({ status: 'paid', total: 81_500 })
  })

  it('a price that has changed is said before anything is paid', async () => {
    const { page, id, hall } = await visitToPay()
    await page.goto(`${stage.url}/${stage.shop.slug}/events/${hall.eventId}/checkout`)
    await page.getByLabel('Full name').fill('Ben Botha')
    await page.getByLabel('Email address').fill('ben@example.org')
    const ticket_types = [
      { key: 'adult', name: 'Adult', amount: 90_000 },
      { key: 'child', name: 'Child', amount: 40_000 },
    ]
    const priced = await stage.server.request('PUT', `/api/admin/events/${hall.eventId}/prices`, {
      token: stage.shop.tokens.organizer,
      headers: { 'if-match': '*' },
      body: { currency: 'ZAR', categories: [{ key: 'gold', name: 'Gold', ticket_types }] },
    })
    expect(priced.status, priced.text).toBe(200)
    await page.getByRole('button', { name: /^Continue to payment · R\s?815[.,]00$/ }).click()
    await text(page, /^It costs R\s?900[.,]00 now\. You were not charged/)
    await expectAccessible(page, 'another price')
    await page.getByRole('button', { name: /^Continue to payment · R\s?900[.,]00$/ }).click()
    await page.getByRole('button', { name: /^Pay R\s?900[.,]00$/ }).waitFor()
    expect(page.url()).not.toContain(id)
  })
})
