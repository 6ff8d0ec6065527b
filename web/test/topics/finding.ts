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

/** Row W: a wheelchair place, its companion seat, and four other seats. */
const front = {
  name: 'Front',
  zone_type: 'reserved_seating',
  seats: ['wheelchair', 'companion', ...Array(4).fill('standard')].map((category, index) => ({
    row: 'W',
    number: index + 1,
    category,
    coordinates: { x: index, y: 0 },
  })),
}

/** Seats that the server chooses, and what it says of a cart. */
export function findingTests(stage: () => Stage): void {
  describe('finding seats', () => {
    it('two seats are offered before a clock starts; others come instead; taken, they are held', async () => {
      const hall = await stage().hall()
      const page = await stage().visitEvent(hall, { viewport: { width: 320, height: 640 } })
      await page.getByRole('button', { name: 'Find the best for me' }).click()
      const offered = page.locator('h3:focus').filter({ hasText: '2 together in row R1' })
      await offered.waitFor()
      await text(page, 'Stalls, seats 5, 6.')
      await text(page, 'The clock starts when you take them.')
      expect(await page.getByRole('timer').count()).toBe(0)
      // A screen as low as this one would not show it; others would.
      expect(await page.getByText(/^Nothing chosen yet/).count()).toBe(0)
      await expectFits(page, 'seats that are offered')
      await expectAccessible(page, 'seats that are offered')
      await page.getByRole('button', { name: 'Other seats' }).click()
      await page
        .locator('h3:focus')
        .filter({ hasText: /2 together in row R[2-9]/ })
        .waitFor()
      await page.getByRole('button', { name: 'Take these' }).click()
      await page.getByRole('timer').waitFor()
      await openPanel(page)
      expect(await page.getByRole('button', { name: /^Release: Stalls, row/ }).count()).toBe(2)
      await page.getByText('Find more seats').click()
      await page.getByText('More options').click()
      await page.getByRole('checkbox', { name: 'Side by side only' }).check()
      await expectFits(page, 'finding seats')
      await expectAccessible(page, 'finding seats')
    })

    it('an offer that someone else has taken is gone', async () => {
      const hall = await stage().hall()
      const page = await stage().visitEvent(hall)
      await page.getByRole('button', { name: 'Find the best for me' }).click()
      await text(page, 'Stalls, seats 5, 6.')
      await stage().takeSeat(hall, 4)
      await page.getByRole('button', { name: 'Take these' }).waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Find the best for me' }).waitFor()
    })

    it('what there is not is said, with what there is', async () => {
      const hall = await stage().hall({ seats: 5, perRow: 5 })
      await stage().takeSeat(hall, 2)
      const page = await stage().visitEvent(hall)
      await openPanel(page)
      const many = page.getByRole('group', { name: 'How many tickets?' })
      await many.getByRole('button', { name: 'One more' }).click()
      await page.getByText('More options').click()
      await page.getByRole('checkbox', { name: 'Side by side only' }).check()
      const go = page.getByRole('button', { name: 'Find the best for me' })
      await go.click()
      await text(page, 'There are not enough seats side by side. Look for fewer, or allow seats apart.')
      await page.getByRole('button', { name: '2 seats side by side are left' }).click()
      await go.click()
      await text(page, '2 together in row R1')
    })

    it('a seat that would stay alone is said, and one press mends it', async () => {
      const hall = await stage().hall()
      const page = await stage().visitEvent(hall)
      await openRow(page, 1)
      for (const seat of [2, 3]) {
        await seatButton(page, 1, seat).click()
        await seatSays(page, 1, seat, 'held for you')
      }
      await text(page, 'Seat 1 would be left alone.')
      await page.getByRole('button', { name: 'Take seats 1 and 2 instead' }).click()
      await text(page, 'Your seats are changed.')
      await seatSays(page, 1, 1, 'held for you')
      await seatSays(page, 1, 3, 'free')
      await page.getByText('Seat 1 would be left alone.').waitFor({ state: 'detached' })
    })

    it('the companion seat beside a wheelchair place is kept for its buyer, and taken', async () => {
      const hall = await stage().hall({ seats: 0, zones: [front] })
      const page = await stage().visitEvent(hall)
      await page.getByText('List', { exact: true }).click()
      await page.getByRole('button', { name: /^Front/ }).click()
      await page.getByRole('button', { name: /^Row W / }).click()
      await page.getByRole('button', { name: /^Front, row W, seat 2, not for sale/ }).waitFor()
      await page.getByRole('button', { name: /^Front, row W, seat 1, free/ }).click()
      await text(page, 'A companion seat beside your wheelchair place (Row W, seat 2) is kept for you.')
      await page.getByRole('button', { name: 'Take the companion seat' }).click()
      await page.getByRole('button', { name: /^Front, row W, seat 2, held for you/ }).waitFor()
    })

    it('a table that is sold as a whole is offered, taken and released as a whole', async () => {
      const seats = [1, 2, 3].map(number => ({ zone: 'Stalls', label: `R1-${number}` }))
      const groups = [{ group_type: 'vip_table', seats, metadata: { sell: 'whole' } }]
      const hall = await stage().hall({ groups })
      const page = await stage().visitEvent(hall)
      await openRow(page, 1)
      await seatButton(page, 1, 2).click()
      await page.getByRole('button', { name: 'Take all 3 seats' }).click()
      for (const seat of [1, 2, 3]) await seatSays(page, 1, seat, 'held for you')
      await openPanel(page)
      await page.getByRole('button', { name: 'Release: Stalls, row R1, seat 2' }).click()
      for (const seat of [1, 2, 3]) await seatSays(page, 1, seat, 'free')
    })

    it('an event that prefers it offers to find seats first', async () => {
      const event = { seating_overrides: { prefer_clustering_over_selection: true } }
      const page = await stage().visitEvent(await stage().hall({ event }))
      await page.getByRole('button', { name: 'Find the best for me' }).click()
      await text(page, '2 together in row R1')
    })
  })
}
