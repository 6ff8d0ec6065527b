import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import {
  expectAccessible,
  expectFits,
  openPanel,
  openRow,
  type Stage,
  seatButton,
  seatSays,
  text,
} from '../stage.ts'

const box = async (locator: Locator) => (await locator.boundingBox())!

/** Things are in their places: low screens, messages, and what a seat is called. */
export function screenTests(stage: () => Stage): void {
  describe('a low screen', () => {
    it.each([
      ['a phone on its side', { width: 844, height: 390 }],
      ['a desk at 400 %', { width: 320, height: 256 }],
    ])('%s: the panel is one line, covers nothing, and unfolds', async (_what, viewport) => {
      const hall = await stage().hall()
      const page = await stage().visitEvent(hall, { viewport })
      await openRow(page, 1)
      for (const seat of [1, 2, 3]) {
        await seatButton(page, 1, seat).click()
        await seatSays(page, 1, seat, 'held for you')
      }
      await page.getByText('Map', { exact: true }).click()
      const map = page.getByRole('application')
      await map.scrollIntoViewIfNeeded()
      const panel = page.getByRole('complementary')
      await page.getByRole('timer').waitFor()
      const [line, picture] = [await box(panel), await box(map)]
      expect(line.height).toBeLessThanOrEqual(60)
      expect(picture.y + picture.height).toBeLessThanOrEqual(line.y + 1)
      expect(picture.y).toBeGreaterThanOrEqual(0)
      // Room enough to choose in.
      expect(picture.height).toBeGreaterThanOrEqual(120)
      await expectFits(page, 'folded')
      await expectAccessible(page, 'folded')
      await page.getByRole('button', { name: 'Show my seats' }).click()
      await page.getByRole('button', { name: 'Release: Stalls, row R1, seat 3' }).click()
      await text(page, 'Released: Stalls, row R1, seat 3.')
      await expectFits(page, 'unfolded')
      await page.getByRole('button', { name: 'Hide my seats' }).click()
      expect((await box(panel)).height).toBeLessThanOrEqual(60)
    })
  })

  describe('the sheet of a phone', () => {
    it('is pulled open and shut, opened by a press, and closed by Escape, a press beside it, or the focus', async () => {
      const hall = await stage().hall()
      const page = await stage().visitEvent(hall)
      await openRow(page, 1)
      for (const seat of [4, 5]) {
        await seatButton(page, 1, seat).click()
        await seatSays(page, 1, seat, 'held for you')
      }
      await page.getByText('Map', { exact: true }).click()
      const panel = page.getByRole('complementary')
      const heading = panel.getByRole('heading', { level: 2 })
      const [open, shut] = ['Show my seats', 'Hide my seats'].map(name => page.getByRole('button', { name }))
      await panel.getByRole('heading', { name: 'Your seats: Row R1, seats 4, 5' }).waitFor()
      await panel.getByText('Stalls · 2 tickets').waitFor()
      // The map has the rest of the screen, and does not move when the sheet comes over it.
      const map = await box(page.getByRole('application'))
      expect(map.height).toBeGreaterThan(300)
      expect(map.y + map.height).toBeLessThanOrEqual((await box(panel)).y + 1)
      const pull = async (by: number) => {
        const { x, y } = await box(heading)
        await page.mouse.move(x + 60, y + 8)
        await page.mouse.down()
        for (const step of [0.1, 0.5, 0.9, 1, 1]) await page.mouse.move(x + 60, y + 8 + step * by)
        await page.mouse.up()
      }
      await pull(-500)
      await shut!.waitFor()
      await panel.getByRole('button', { name: 'Release: Stalls, row R1, seat 5' }).waitFor()
      expect(await box(page.getByRole('application'))).toEqual(map)
      expect((await box(panel)).height).toBeLessThanOrEqual(0.88 * 844 + 1)
      await expectAccessible(page, 'an open sheet')
      await pull(500)
      await open!.waitFor()
      await open!.click()
      await page.keyboard.press('Tab')
      await page.keyboard.press('Escape')
      await page.locator(':focus').and(open!).waitFor()
      await page.keyboard.press('Enter')
      // Nothing that has the focus is behind the sheet.
      await shut!.waitFor()
      await page.keyboard.press('Shift+Tab')
      await open!.waitFor()
      await open!.click()
      await page.mouse.click(200, 40)
      await open!.waitFor()
      expect(await page.getByRole('application').boundingBox()).toEqual(map)
    })
  })

  describe('a message', () => {
    /** The message is in sight, and not where the finger was. */
    const expectBesides = async (page: Page, message: RegExp, x: number, y: number) => {
      const notice = page.getByRole('status').filter({ hasText: message })
      await notice.waitFor()
      const { x: left, y: top, width, height } = await box(notice)
      const covers = x >= left && x <= left + width && y >= top && y <= top + height
      expect(covers, `${message} at ${left},${top} ${width}×${height}, pressed at ${x},${y}`).toBe(false)
    }

    it.each([
      ['on a phone', { width: 390, height: 844 }],
      ['on a desk', { width: 1280, height: 800 }],
    ])('%s is never over the seat that was pressed', async (_what, viewport) => {
      const hall = await stage().hall({ seats: 16, perRow: 4 })
      const page = await stage().visitEvent(hall, { viewport })
      // There are seats above and below the middle of the map, which the panel may have made lower meanwhile.
      for (const share of [0.45, 0.55]) {
        const { x, y, width, height } = await box(page.getByRole('application'))
        const [middle, at] = [x + width / 2, y + height * share]
        await page.mouse.click(middle, at)
        await expectBesides(page, /^Held for you:|is held by someone/, middle, at)
      }
    })
  })

  describe('a seat', () => {
    const balcony = {
      name: 'Balcony',
      zone_type: 'reserved_seating',
      seats: [
        { row: 'A', number: 1, category: 'restricted_view', coordinates: { x: 0, y: 0 } },
        { row: 'A', number: 2, category: 'wheelchair', coordinates: { x: 1, y: 0 } },
        { row: 'A', number: 3, category: 'companion', coordinates: { x: 2, y: 0 } },
      ],
    }

    it('is named by section, row, seat and what is special about it, also on touch', async () => {
      const hall = await stage().hall({ seats: 0, zones: [balcony] })
      const page = await stage().visitEvent(hall, { hasTouch: true })
      // The one in the middle of the map.
      await page.getByRole('application').tap()
      await text(page, 'The seat beside it (row A, seat 3) is kept for your companion.')
      await page.getByRole('checkbox', { name: 'Add the companion seat' }).uncheck()
      await page.getByRole('button', { name: 'Add seat' }).waitFor()
      await page.getByRole('checkbox', { name: 'Add the companion seat' }).check()
      await page.getByRole('button', { name: 'Add both' }).click()
      await text(page, /^Held for you: Balcony, row A, seat 2 \(wheelchair place\) · .*seat 3.*\.$/)
      await openPanel(page)
      const panel = page.getByRole('complementary')
      await panel.getByText('wheelchair place').first().waitFor()
      await panel.getByText('Balcony').first().waitFor()
      await panel
        .getByRole('button', { name: 'Release: Balcony, row A, seat 2 (wheelchair place)' })
        .waitFor()
    })
  })

  it('how many places: the stepper stops at the limit, what is held counts, and success is said', async () => {
    const hall = await stage().hall({
      standing: 50,
      event: { seating_overrides: { max_seats_per_booking: 4 } },
    })
    const page = await stage().visitEvent(hall)
    await openRow(page, 1)
    await seatButton(page, 1, 1).click()
    await seatSays(page, 1, 1, 'held for you')
    await page.getByRole('button', { name: /^Pit/ }).click()
    const more = page.getByRole('button', { name: 'One more' })
    await more.click()
    await page.getByRole('button', { name: 'Add 3 places' }).waitFor()
    expect(await more.isDisabled()).toBe(true)
    await text(page, 'You can book 4 places at most.')
    await page.getByRole('button', { name: 'Add 3 places' }).click()
    await page.getByRole('status').filter({ hasText: '3 places in Pit' }).waitFor()
    await page.getByRole('button', { name: /^Pit/ }).click()
    await page.getByRole('dialog').getByText('You hold as many as you can book.').waitFor()
    await page.keyboard.press('Escape')
    // One of the three is given up; the others stay.
    await openPanel(page)
    await page.getByRole('button', { name: 'One fewer: 3 places in Pit' }).click()
    await page.getByRole('button', { name: 'Release: 2 places in Pit' }).waitFor()
    await page.getByRole('button', { name: /^Pit.*48 of 50 free/ }).waitFor()
  })
}
