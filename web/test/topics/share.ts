import type { TestOrganization } from '@voelgoed/testing/harness'
import { describe, expect, it } from 'vitest'
import { expectAccessible, expectFits, live, type Stage } from '../stage.ts'

/** One pixel, as PNG. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** Adds up how far the page has moved under its reader since it was opened. */
const SHIFT = `(() => {
  const observer = new PerformanceObserver(() => {})
  observer.observe({ type: 'layout-shift', buffered: true })
  const shifts = observer.takeRecords().filter(({ hadRecentInput }) => !hadRecentInput)
  return shifts.reduce((sum, { value }) => sum + value, 0)
})()`

/** The server writes these into the document for search engines and shared links. */
export function shareTests(stage: () => Stage): void {
  describe('the document of an event', () => {
    it('has its own title and data before any script runs, and breaks no rule of the policy', async () => {
      const hall = await stage().hall({ event: { name: 'Tannie & </script> kie' } })
      const path = `/${stage().shop.slug}/events/${hall.eventId}`
      const bare = await stage().visit(path, { javaScriptEnabled: false })
      expect(await bare.title()).toBe('Tannie & </script> kie · Voelgoed Test')

      const page = await stage().visit('/')
      const violations: string[] = []
      page.on('console', message => {
        if (/Content Security Policy/.test(message.text())) violations.push(message.text())
      })
      await page.goto(stage().url + path)
      await expect.poll(() => page.title()).toMatch(/^Tannie & <\/script> kie/)
      const data = await page.locator('script[type="application/ld+json"]').textContent()
      expect(JSON.parse(data!)).toMatchObject({ '@type': 'Event', name: 'Tannie & </script> kie' })
      expect(violations).toEqual([])
    })
  })

  const upload = async (shop: TestOrganization, place: string) => {
    const answer = await stage().server.request('PUT', `/api/admin/${place}`, {
      token: shop.tokens.organizer,
      raw: PIXEL,
      headers: { 'content-type': 'image/png' },
    })
    expect(answer.status, answer.text).toBe(200)
  }

  describe('the head of an event', () => {
    it('has its picture, doors and description behind a button on a phone, and moves nothing when it comes', async () => {
      const description = `First words.\n\n${'Many more words follow. '.repeat(60)}<b>Not bold.</b>`
      const times = { starts_at: '2099-03-01T17:30:00Z', doors_at: '2099-03-01T16:30:00Z' }
      const hall = await stage().hall({ event: { name: 'Pictured', description, ...times } })
      await upload(stage().shop, `events/${hall.eventId}/image`)
      const page = await stage().visitEvent(hall, { timezoneId: 'UTC' })
      const more = page.getByRole('button', { name: 'More about this event' })
      expect(await more.getAttribute('aria-expanded')).toBe('false')
      expect(await page.getByText('Doors 16:30').isVisible()).toBe(false)
      expect(await page.evaluate(SHIFT)).toBeLessThan(0.05)
      await more.click()
      await page.getByRole('button', { name: 'Show less' }).waitFor()
      await page.getByText('Doors 16:30').waitFor()
      const picture = page.locator('header img[srcset*="/images/"]')
      await picture.waitFor()
      const isThere = 'document.querySelector("header img[srcset]").naturalWidth > 0'
      await expect.poll(() => page.evaluate(isThere)).toBe(true)
      expect(await page.locator('#about p').count()).toBe(2)
      await page.getByText('<b>Not bold.</b>').waitFor()
      await expectAccessible(page, 'an event with a description')
      await expectFits(page, 'an event with a description')
      const link = page.getByRole('link', { name: 'Add to calendar' })
      const calendar = await page.request.get(stage().url + (await link.getAttribute('href')))
      expect(await calendar.text()).toContain('SUMMARY:Pictured')
    })

    it('is shared by the device, or else copied', async () => {
      const hall = await stage().hall({ event: { name: 'Shared' } })
      const page = await stage().visitEvent(hall, { permissions: ['clipboard-read', 'clipboard-write'] })
      const more = page.getByRole('button', { name: 'More about this event' })
      await more.click()
      await page.getByRole('button', { name: 'Share' }).click()
      await page.getByText('Link copied').waitFor()
      const url = `${stage().url}/${stage().shop.slug}/events/${hall.eventId}`
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(url)

      await page.addInitScript('navigator.share = async shared => { window.shared = shared }')
      await page.reload()
      await live(page)
      await more.click()
      await page.getByRole('button', { name: 'Share' }).click()
      await expect.poll(() => page.evaluate('window.shared')).toEqual({ title: 'Shared', url })
      expect(await page.getByText('Link copied').count()).toBe(0)
    })
  })

  describe('a brand', () => {
    it('colours the pages of its organization from the first moment, and no others', async () => {
      const shop = await stage().server.organization('Branded House')
      await stage().server.request('PATCH', '/api/admin/organization', {
        token: shop.tokens.admin,
        body: { colour: '#0f6b8a' },
      })
      await upload(shop, 'organization/logo')
      await upload(shop, 'organization/cover')
      const page = await stage().visit(`/${shop.slug}`)
      const accent = () => page.evaluate('document.documentElement.style.getPropertyValue("--accent-light")')
      await page.getByText('Branded House').first().waitFor()
      expect(await accent()).toBe('#0f6b8a')
      await page.locator('header img[srcset*="/images/"]').waitFor()
      await page.getByText('Nothing on sale right now').first().waitFor()
      await expectAccessible(page, 'a storefront with a brand')
      // Not a page that everyone may see: its document says nothing of the brand, the browser remembers it.
      await page.goto(`${stage().url}/${shop.slug}/password`)
      await page.locator('h1').waitFor()
      expect(await accent()).toBe('#0f6b8a')
      await page.goto(`${stage().url}/${stage().shop.slug}`)
      await page.getByText('Voelgoed Test').first().waitFor()
      expect(await accent()).toBe('')
    })
  })
}
