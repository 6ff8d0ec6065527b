import { waitUntil } from '@voelgoed/testing/wait-until'
import type { Page, Route } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { slowTimers } from '../page-timers.ts'
import { live, openPanel, openRow, type Stage, seatButton, seatSays, text } from '../stage.ts'

/** Lost answers, no network, and a server that asks for patience. */
export function troubleTests(stage: () => Stage): void {
  describe('a lost answer', () => {
    /** The server hears the request and does it; its answer never arrives. */
    const loseAnswer = async (route: Route) => {
      await route.fetch()
      await route.abort()
    }
    /** The first looks at what is held find no server either. */
    const loseLooks = async (page: Page, times: number) => {
      let lost = 0
      await page.route('**/api/events/*/cart', async route => {
        lost += 1
        if (lost <= times) await route.abort()
        else await route.continue()
      })
    }

    it('to a release: the panel claims nothing, asks until it knows, and is right in the end', async () => {
      const hall = await stage().hall()
      const page = await stage().visitEvent(hall)
      await openRow(page, 1)
      await seatButton(page, 1, 2).click()
      await seatSays(page, 1, 2, 'held for you')
      await openPanel(page)
      await loseLooks(page, 5)
      await page.route('**/api/holds/*', loseAnswer)
      await page.getByRole('button', { name: /^Release: Stalls, row R1, seat 2/ }).click()
      await text(page, 'Checking with the server what you hold …')
      await text(page, 'Nothing chosen yet.')
      expect(await page.getByRole('timer').count()).toBe(0)
    })

    it('to a hold: the seat is in the panel as soon as the server has said so', async () => {
      const hall = await stage().hall()
      const page = await stage().visitEvent(hall)
      await openRow(page, 1)
      await loseLooks(page, 5)
      await page.route('**/api/events/*/holds', loseAnswer)
      await seatButton(page, 1, 2).click()
      await text(page, 'Checking with the server what you hold …')
      await page.getByRole('heading', { name: 'Your seats: Row R1, seat 2' }).waitFor()
      // The hall has no prices: the page says who sells the tickets.
      await text(page, /^This page sells no tickets for this event\. Voelgoed Test does/)
      await openPanel(page)
      await page.getByRole('button', { name: /^Release: Stalls, row R1, seat 2/ }).waitFor()
      await page.getByRole('timer').waitFor()
    })
  })

  it('a server that asks for patience is explained, with how long', async () => {
    const hall = await stage().hall()
    const page = await stage().visitEvent(hall)
    await openRow(page, 1)
    let asked = 0
    await page.route('**/api/events/*/holds', route => {
      asked += 1
      return route.fulfill({
        status: 429,
        headers: { 'content-type': 'application/problem+json', 'retry-after': '240' },
        body: JSON.stringify({
          type: 'about:blank',
          title: 'Too many requests',
          status: 429,
          code: 'rate_limited',
          detail: '',
          retryable: true,
        }),
      })
    })
    await seatButton(page, 1, 2).click()
    await text(page, /Try again in 4 minutes/)
    expect(asked).toBe(1)
  })

  it('a reload without a network keeps the hall, the seats and the clock, marked as last known', async () => {
    const hall = await stage().hall()
    const page = await stage().visitEvent(hall, { serviceWorkers: 'allow' })
    await page.evaluate('navigator.serviceWorker.ready.then(() => null)')
    // From now on the service worker sees what the page asks for.
    await page.reload()
    await live(page)
    await openRow(page, 1)
    await seatButton(page, 1, 2).click()
    await seatSays(page, 1, 2, 'held for you')
    await page.context().setOffline(true)
    await page.reload()
    await text(page, 'No connection. What you see may be out of date.')
    await text(page, 'From your last visit. We check it as soon as there is a connection.')
    await page.getByRole('timer', { name: /^Held for you for another \d+:\d\d$/ }).waitFor()
    await openPanel(page)
    const release = page.getByRole('button', { name: /^Release: Stalls, row R1, seat 2/ })
    expect(await release.isDisabled()).toBe(true)
    await page.context().setOffline(false)
    await live(page)
    await text(page, 'Your seats')
    await waitUntil('the server says that the seat is still held', () => release.isEnabled())
  })

  it('what is held is in the panel from its first moment', async () => {
    const hall = await stage().hall()
    const page = await stage().visitEvent(hall)
    await openRow(page, 1)
    await seatButton(page, 1, 2).click()
    await seatSays(page, 1, 2, 'held for you')
    await page.addInitScript(`
      window.wasEmpty = false
      new MutationObserver(() => {
        window.wasEmpty ||= document.querySelector('aside form.brief') !== null
      }).observe(document, { childList: true, subtree: true })
    `)
    // The panel's patience: CART_MS of seating.svelte.ts.
    await page.addInitScript(slowTimers({ 600: 'never' }))
    await page.route('**/cart', async route => {
      await page.locator('input[name="view"]').first().waitFor({ state: 'attached' })
      // The next pieces of the page would be there by now.
      await page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')
      await route.continue()
    })
    await page.reload()
    await page.getByRole('timer', { name: /^Held for you for another \d+:\d\d$/ }).waitFor()
    expect(await page.evaluate('window.wasEmpty')).toBe(false)
  })

  it('the panel does not wait for long to hear what is held', async () => {
    const hall = await stage().hall()
    const page = await stage().visitEvent(hall)
    await page.route('**/cart', () => {})
    await page.reload()
    await page.locator('aside form.brief').waitFor()
  })
}
