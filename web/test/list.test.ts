import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import {
  closePanel,
  expectAccessible,
  openPanel,
  type Stage,
  seatButton,
  seatSays,
  setStage,
} from './stage.ts'

let stage: Stage

// Where there is no Chromium yet, it is installed first.
beforeAll(async () => {
  stage = await setStage()
})
afterEach(() => stage.closePages())
afterAll(() => stage.close())

const search = (page: Page) => page.getByRole('searchbox', { name: 'Find a section, a row or a seat' })

it('the list has headings, and finds a seat by its row and number', async () => {
  // A price category may be called like another sign of the map.
  const hall = await stage.hall({ seats: 30, perRow: 10, standing: 5, prices: ['gold', 'in a cart'] })
  const page = await stage.visitEvent(hall)
  await openPanel(page)
  await page.locator('.legend li').filter({ hasText: 'in a cart' }).nth(1).waitFor({ state: 'attached' })
  await closePanel(page)
  await page.getByText('List', { exact: true }).click()
  await page.getByRole('heading', { level: 2, name: /^Stalls/ }).waitFor()
  await page.getByRole('heading', { level: 2, name: /^Pit/ }).waitFor()
  await search(page).fill('R2')
  await seatButton(page, 2, 10).focus()
  await search(page).fill('R2 7')
  await page.getByRole('heading', { level: 3, name: /^Row R2/ }).waitFor()
  await page.getByText('Found in 1 section.').waitFor()
  expect(await page.getByRole('button', { name: /^Stalls, row/ }).count()).toBe(1)
  // Tab comes to it, also from a row that had more seats.
  expect(await seatButton(page, 2, 7).getAttribute('tabindex')).toBe('0')
  expect(await page.getByRole('heading', { level: 2, name: /^Pit/ }).count()).toBe(0)
  await expectAccessible(page, 'list with a search')
  await seatButton(page, 2, 7).click()
  await seatSays(page, 2, 7, 'held for you')
  await search(page).fill('nowhere')
  await page.getByText(/^Nothing found/).waitFor()
  await search(page).fill('')
  await page.getByRole('heading', { level: 2, name: /^Pit/ }).waitFor()
})
