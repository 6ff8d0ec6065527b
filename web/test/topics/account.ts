import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { describe, expect, it, vi } from 'vitest'
import { expectAccessible, expectFits, type Stage, text } from '../stage.ts'

const PASSWORD = 'a long password'

/** The page of the account: what was bought, who the buyer is, and what is theirs to take or to delete. */
export function accountTests(stage: () => Stage): void {
  /** A buyer with an account and a ticket. */
  async function buyer(email: string) {
    const { server, shop } = stage()
    const body = { organization: shop.slug, email, password: PASSWORD }
    const made = await server.request('POST', '/api/accounts', { body })
    expect(made.status, made.text).toBe(201)
    const { token, user } = made.body.data
    const hall = await stage().hall({ event: { name: 'Evening of the account' } })
    const held = await server.request('POST', `${hall.url}/seats/${hall.seats[2]}/reserve`, { token })
    expect(held.status, held.text).toBe(201)
    const sold = await server.request('POST', '/api/admin/orders', {
      token: shop.tokens.organizer,
      body: {
        ...{ event_id: hall.eventId, method: 'external', hold_ids: [held.body.data.hold_id] },
        ...{ contact: { name: 'Thandi', email }, allow_stranding: true },
      },
    })
    expect(sold.status, sold.text).toBe(201)
    return { hall, id: user.id as string, order: sold.body.data.order_id as string }
  }

  async function signIn(page: Page, email: string): Promise<void> {
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Email address').fill(email)
    await dialog.getByLabel('Password').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
  }

  describe('the page of the account', () => {
    it('has the tickets first, takes a name, gives all data as a file, and deletes the account', async () => {
      const { shop, url, server } = stage()
      const email = 'thandi@account.example'
      const { hall, id, order } = await buyer(email)
      const page = await stage().visit(`/${shop.slug}`)
      await page.getByRole('button', { name: 'Sign in' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Email address').fill(email)
      const password = dialog.getByLabel('Password')
      await password.fill('not the password')
      await dialog.getByRole('button', { name: 'Show what was typed' }).click()
      expect(await password.getAttribute('type')).toBe('text')
      await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
      await text(page, /do not match/)
      await dialog.getByRole('button', { name: 'Create an account' }).click()
      await page.getByText(/do not match/).waitFor({ state: 'detached' })
      await dialog.getByRole('button', { name: 'Sign in' }).click()
      await signIn(page, email)

      await page.getByRole('link', { name: email }).click()
      await page.getByRole('heading', { level: 1, name: 'My account' }).waitFor()
      await page.getByRole('link', { name: 'Show 1 ticket' }).click()
      await text(page, 'Works offline')
      await page.getByRole('link', { name: email }).click()
      await page.getByRole('button', { name: /^Add/ }).click()
      await page.getByLabel('Name', { exact: true }).fill('Thandi Mokoena')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('heading', { level: 1, name: 'Thandi Mokoena' }).waitFor()
      await text(page, 'Signed in on 2 devices')
      await page.getByRole('button', { name: 'Sign out the others' }).click()
      await text(page, 'Signed in on this device only')
      await expectAccessible(page, 'account')
      await expectFits(page, 'account')

      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download everything' }).click(),
      ])
      const data = JSON.parse(await readFile(await file.path(), 'utf8'))
      expect(data).toMatchObject({
        account: { email, name: 'Thandi Mokoena' },
        orders: [{ order_id: order }],
      })

      // The device has them without a network too.
      await page.route('**/api/**', route => route.abort())
      await page.reload()
      await text(page, 'You are offline. These are the tickets that this device keeps.')
      await page.getByRole('link', { name: 'Show 1 ticket' }).waitFor()
      await page.unroute('**/api/**')
      await page.reload()

      await page.getByRole('button', { name: 'Delete my account…' }).click()
      const asked = page.getByRole('alertdialog')
      await asked.getByLabel('Your password').fill('not the password')
      const remove = asked.getByRole('button', { name: 'Delete my account' })
      await remove.click()
      await asked.getByText('This is not your password. Try again.').waitFor()
      await asked.getByLabel('Your password').fill(PASSWORD)
      await remove.click()
      await asked.getByText(/^Tickets to come: 1\./).waitFor()
      await expectAccessible(page, 'deleting an account')
      await asked.getByLabel(/I have saved my tickets/).check()
      await remove.click()
      await page.getByRole('heading', { level: 1, name: 'Your account is deleted' }).waitFor()
      const [row] = await server.database.sql('select email, name from users where id = $1', [id])
      expect(row).toEqual({ email: null, name: null })
      // The ticket stays valid, and this device goes on showing it.
      await page.goto(`${url}/${shop.slug}/orders/${order}`)
      await page.getByText('Evening of the account').first().waitFor()
      const { tickets } = (
        await server.request('GET', `/api/admin/orders/${order}`, { token: shop.tokens.support })
      ).body.data
      expect(tickets).toMatchObject([{ status: 'valid', seat_id: hall.seats[2] }])
    })

    it('asks a guest to sign in; a forgotten password without a mail server says what to do', async () => {
      const { shop, url, server } = stage()
      const page = await stage().visit(`/${shop.slug}/account`)
      await text(page, 'Sign in to see your tickets, your orders and your details on any device.')
      await expectAccessible(page, 'account of a guest')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('link', { name: 'Forgot your password?' }).click()
      await text(page, /^This site sends no emails at the moment/)
      expect(await page.getByRole('button', { name: 'Send me a link' }).count()).toBe(0)
      vi.spyOn(server.node.mailSender, 'canSend', 'get').mockReturnValueOnce(true)
      await page.goto(`${url}/${shop.slug}/password`)
      await page.getByRole('button', { name: 'Send me a link' }).waitFor()
    })
  })
}
