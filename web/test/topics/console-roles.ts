import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { type Stage, text } from '../stage.ts'
import { heading, staffOf } from './console-staff.ts'

/** The audit log, people, and reports over all events, as each role opens them. */
export function consoleRolesTests(stage: () => Stage): void {
  const { ask, emailOf, goto, sell, visitAs } = staffOf(stage)

  /** Notes what the page asks for, and what of it the server refuses. */
  const watch = (page: Page) => {
    const seen = { asked: [] as string[], refused: [] as string[] }
    page.on('response', response => {
      const { pathname } = new URL(response.url())
      if (!pathname.startsWith('/api/')) return
      seen.asked.push(pathname)
      if (response.status() === 401 || response.status() === 403) seen.refused.push(pathname)
    })
    return seen
  }
  const buttons = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).count()

  describe('audit, people and reports', () => {
    it('show what a role may do and nothing else, and the page asks for nothing else', async () => {
      const hall = await stage().hall({ event: { name: 'By role' } })
      await sell(hall)
      const idOf = async (role: 'admin' | 'organizer') =>
        (await ask(role, 'GET', '/api/session')).body.data.user.id as string
      const ids = { admin: await idOf('admin'), organizer: await idOf('organizer') }
      for (const role of ['support', 'organizer', 'admin'] as const) {
        const isEditor = role !== 'support'
        const page = await visitAs(role, '')
        const seen = watch(page)
        await heading(page, 'Today')

        await goto(page, '/audit')
        await heading(page, 'Audit')
        const sale = page.getByRole('row').filter({ hasText: 'order_sold' }).first()
        await sale
          .getByRole('cell', { name: role === 'organizer' ? 'You' : emailOf('organizer'), exact: true })
          .waitFor()
        await sale.getByRole('button').click()
        await text(page, ids.organizer)

        await goto(page, `/people/${ids.organizer}`)
        const sheet = page.getByRole('dialog', { name: emailOf('organizer') })
        if (isEditor) await sheet.getByRole('button', { name: 'Sign out everywhere' }).waitFor()
        else await text(page, 'Your role can look people up. Organizers and admins change them.')
        for (const name of ['Save', 'Sign out everywhere']) {
          expect(await sheet.getByRole('button', { name, exact: true }).count(), name).toBe(isEditor ? 1 : 0)
        }
        await goto(page, `/people/${ids.admin}`)
        const ofAdmin = page.getByRole('dialog', { name: emailOf('admin') })
        if (role === 'support') await text(page, /^Your role can look people up/)
        if (role === 'organizer') await text(page, 'Only an admin can change an admin.')
        if (role === 'admin') await ofAdmin.getByRole('button', { name: 'Save' }).waitFor()
        expect(await ofAdmin.getByRole('button', { name: 'Save' }).count()).toBe(role === 'admin' ? 1 : 0)
        await goto(page, '/people')
        await page.getByRole('link', { name: emailOf('customer') }).waitFor()
        expect([await buttons(page, 'Invite'), await buttons(page, 'Import members')]).toEqual(
          isEditor ? [1, 1] : [0, 0],
        )

        await goto(page, '/reports')
        const event = page.getByRole('row', { name: /^By role/ })
        if (isEditor)
          await event
            .getByText(/^R\s?900/)
            .first()
            .waitFor()
        else await event.waitFor()
        expect((await page.getByText('Gross').count()) > 0).toBe(isEditor)
        expect(seen.asked.includes('/api/admin/revenue')).toBe(isEditor)
        expect(seen.refused).toEqual([])
        await page.context().close()
      }
    })

    it('are not there for scanners and buyers, and the API refuses what a role may not do', async () => {
      const sections = ['/audit', '/people', '/reports']
      const routes = ['/api/admin/audit', '/api/admin/users', '/api/admin/sales', '/api/admin/revenue']
      for (const [role, link] of [
        ['customer', 'To the storefront'],
        ['scanner', 'Open the scanner'],
      ] as const) {
        const page = await visitAs(role, sections[0]!)
        const seen = watch(page)
        for (const section of sections) {
          await goto(page, section)
          await page.getByRole('link', { name: link }).waitFor()
          expect(await page.getByRole('navigation').count()).toBe(0)
        }
        expect(seen.asked.filter(path => path.startsWith('/api/admin/'))).toEqual([])
        for (const route of routes) expect((await ask(role, 'GET', route)).status, route).toBe(403)
      }
      expect((await ask('support', 'GET', '/api/admin/revenue')).status).toBe(403)
      const person = (await ask('admin', 'GET', '/api/session')).body.data.user.id
      const disabled = { disabled: true }
      for (const role of ['scanner', 'support', 'organizer'] as const) {
        expect((await ask(role, 'PATCH', `/api/admin/users/${person}`, disabled)).status, role).toBe(403)
      }
      const invited = { email: 'new-admin@roles.example', role: 'admin' }
      const refused = await ask('organizer', 'POST', '/api/admin/invitations', invited)
      expect(refused.status, refused.text).toBe(403)
    })
  })
}
