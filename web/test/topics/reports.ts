import { readFile } from 'node:fs/promises'
import { readCsv } from '@voelgoed/core/csv'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { expectAccessible, expectFits, type Stage, text } from '../stage.ts'
import { heading, staffOf } from './console-staff.ts'

/** Organizers see what was sold for how much, support only how many. */
export function reportTests(stage: () => Stage): void {
  const { ask, goto, sell, visitAs } = staffOf(stage)

  /** The records of the file that a button saves. */
  async function saved(page: Page, button: string): Promise<(readonly string[])[]> {
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: button, exact: true }).click(),
    ])
    const { records, broken } = readCsv(await readFile(await file.path(), 'utf8'), 1_000)
    expect(broken).toBeNull()
    return records.map(record => record.cells)
  }
  /** Counts the reports of an event's tickets that a page has asked for. */
  const countsOfTickets = (page: Page) =>
    page.evaluate(`performance.getEntriesByType('resource').flatMap(({ name }) =>
      new URL(name).pathname.match(/^\\/api\\/admin\\/events\\/[^/]+\\/(sales|revenue)$/)?.[1] ?? [])`)
  /** R 1 350,00, however the spaces are written. */
  const rand = (amount: string) => new RegExp(`^R\\s?${amount.replace(/[ ,.]/g, '[\\s.,]?')}$`)

  describe('reports', () => {
    it('an organizer reads what was sold and takes it away; support reads it without the money', async () => {
      const hall = await stage().hall({ event: { name: 'Reported' } })
      const first = await sell(hall)
      const second = await sell(hall, 2)
      const refund = { ticket_ids: [first.tickets[0].ticket_id], reason: 'ill' }
      const done = await ask('organizer', 'POST', `/api/admin/orders/${first.order_id}/refund`, refund)
      expect(done.status, done.text).toBe(200)

      const page = await visitAs('organizer', `/events/${hall.eventId}/report`)
      for (const amount of ['1 800.00', '450.00', '1 350.00']) await text(page, rand(amount))
      // Both count every ticket of the event: once is enough.
      expect(await countsOfTickets(page)).toEqual(['revenue'])
      const zone = page.getByRole('row', { name: /^Stalls/ })
      const cells = (await zone.getByRole('cell').allTextContents()).map(cell => cell.replace(/\s/g, ' '))
      expect(cells.slice(0, 5)).toEqual(['20', '4', '1', '0', '15 %'])
      expect(await saved(page, 'By zone as CSV')).toEqual([
        expect.arrayContaining(['Zone', 'Sold']),
        ['Stalls', '20', '4', '1', '0', '15 %', '1800.00', '450.00'],
      ])
      const channels = await saved(page, 'By channel as CSV')
      expect(channels[1]).toEqual(['box_office', '2', '4', '1', '1800.00', '450.00', '1350.00'])
      expect(await saved(page, 'From hold to ticket as CSV')).toContainEqual(['Places held', '4', ''])
      await expectAccessible(page, 'report of an event')
      await page.emulateMedia({ media: 'print' })
      await page.getByRole('button', { name: 'Print', exact: true }).waitFor({ state: 'hidden' })
      await page.getByRole('navigation', { name: 'Parts of the event' }).waitFor({ state: 'hidden' })
      expect(await zone.isVisible()).toBe(true)
      await page.emulateMedia({ media: 'screen' })

      await goto(page, `/events/${hall.eventId}/orders`)
      await text(page, second.order_number)
      const [head, ...orders] = await saved(page, 'These orders as CSV')
      const column = (name: string) => orders.map(row => row[head!.indexOf(name)])
      expect(column('order_number')).toEqual([second.order_number, first.order_number])
      expect(column('refunds')).toEqual(['0.00', '450.00'])
      await text(page, '2 orders are in the file.')

      await goto(page, '/reports')
      await heading(page, 'Reports')
      const event = page.getByRole('row', { name: /^Reported/ })
      await event.getByText(rand('1 350.00')).waitFor()
      await expectAccessible(page, 'reports')
      const phone = await visitAs('organizer', '/reports', { viewport: { width: 360, height: 740 } })
      await phone.getByRole('row', { name: /^Reported/ }).waitFor()
      await expectFits(phone, 'reports')
      await expectAccessible(phone, 'reports, phone')

      const support = await visitAs('support', `/events/${hall.eventId}/report`)
      await support.getByRole('row', { name: /^Stalls/ }).waitFor()
      expect(await countsOfTickets(support)).toEqual(['sales'])
      expect(await support.getByText('Gross').count()).toBe(0)
      expect((await saved(support, 'By zone as CSV'))[1]).toEqual(['Stalls', '20', '4', '1', '0', '15 %'])
      await goto(support, '/reports')
      await support.getByRole('row', { name: /^Reported/ }).waitFor()
      expect(await support.getByText('Gross').count()).toBe(0)
      await goto(support, `/events/${hall.eventId}/orders`)
      await text(support, second.order_number)
      expect(await support.getByRole('button', { name: 'These orders as CSV' }).count()).toBe(0)
    })
  })
}
