import { describe, expect, it } from 'vitest'
import { expectAccessible, expectFits, type Stage, text } from '../stage.ts'

/** The page that shows every component in every state. */
export function lookTests(stage: () => Stage): void {
  describe('the look', () => {
    it('axe finds nothing on any component, light or dark, and nothing sticks out at 320 pixels', async () => {
      const page = await stage().visit('/look', { viewport: { width: 320, height: 700 } })
      await page.getByRole('heading', { name: 'The look' }).waitFor()
      await expectAccessible(page, 'look')
      await expectFits(page, 'look')
      await page.getByRole('button', { name: 'Open a sheet' }).click()
      await page.getByRole('dialog', { name: 'Your seats' }).waitFor()
      await expectAccessible(page, 'sheet')
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Open a dialog' }).click()
      await page.locator('button:focus', { hasText: 'Keep them' }).waitFor()
      await expectAccessible(page, 'dialog')
    })

    it('tabs go by arrow keys; the theme and the accent are drawn at once', async () => {
      const page = await stage().visit('/look')
      await page.getByRole('tab', { name: 'Seats' }).focus()
      await page.keyboard.press('ArrowLeft')
      await text(page, 'This is the panel of “orders”.')
      expect(await page.locator(':focus').textContent()).toContain('Orders')
      const paper = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
      const light = await paper()
      await page.getByText('Dark', { exact: true }).click()
      // Colours go over in no time, which is the next frame that the browser draws.
      await expect.poll(paper).not.toBe(light)
      await page.getByLabel('Accent').fill('#ffff00')
      await expectAccessible(page, 'a bright accent')
    })
  })
}
