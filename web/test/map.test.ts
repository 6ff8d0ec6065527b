import { waitUntil } from '@voelgoed/testing/wait-until'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessible, live, mapIsThere, type Stage, setStage, tabTo } from './stage.ts'

let stage: Stage

// Where there is no Chromium yet, it is installed first.
beforeAll(async () => {
  stage = await setStage()
})
afterEach(() => stage.closePages())
afterAll(() => stage.close())

/** Seats are so far apart when the map is as near as it goes. */
const LARGEST_SEAT_PX = 64

/**
 * The page runs this: it returns how much of each of three seats in a row is not in the colour of the ground.
 */
const SEATS_DRAWN = `(() => {
  const canvas = document.querySelector('.seat-map-canvas')
  const ratio = canvas.width / canvas.clientWidth
  const [middle, down, half] = [canvas.width / 2, canvas.height / 2, Math.round(15 * ratio)]
  const ground = canvas.getContext('2d').getImageData(middle, down + 6 * half, 1, 1).data
  return [-1, 0, 1].map(seat => {
    const at = middle + seat * ${LARGEST_SEAT_PX} * ratio
    const { data } = canvas.getContext('2d').getImageData(at - half, down - half, 2 * half, 2 * half)
    let count = 0
    for (let index = 0; index < data.length; index += 4)
      if (Math.abs(data[index] - ground[0]) > 64) count += 1
    return (4 * count) / data.length
  })
})()`

const touch = { hasTouch: true, isMobile: true }
const mapOf = (page: Page) => page.getByRole('application')
const cardOf = (page: Page) => page.getByTestId('seat-card')

/** Waits until it is announced. */
const says = (page: Page, what: string | RegExp) =>
  page.getByRole('status').filter({ hasText: what }).waitFor()

/** Finds the middle of the map on the screen: three seats in a row have their second one there. */
async function middleOf(page: Page): Promise<{ x: number; y: number }> {
  await mapIsThere(page)
  const box = (await mapOf(page).boundingBox())!
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

describe('a seat on the map', () => {
  it('says under the mouse its section, row, number, what is special, and its state', async () => {
    const hall = await stage.hall({ seats: 3, perRow: 3 })
    const page = await stage.visitEvent(hall)
    const { x, y } = await middleOf(page)
    await page.mouse.move(x, y)
    await cardOf(page).waitFor()
    expect(await cardOf(page).innerText()).toMatch(/Section\s+Stalls\s+Row\s+R1\s+Seat\s+2\s+Free/i)
    // The mouse goes through it: nothing to close.
    expect(await cardOf(page).getByRole('button').count()).toBe(0)
    await page.mouse.move(x, y + 120)
    await cardOf(page).waitFor({ state: 'detached' })
  })

  it('says the same after a touch, is taken from its card, and no ring is drawn around the map', async () => {
    const hall = await stage.hall({ seats: 3, perRow: 3 })
    const page = await stage.visitEvent(hall, touch)
    const { x, y } = await middleOf(page)
    await page.touchscreen.tap(x, y)
    const panel = page.getByRole('complementary')
    await cardOf(page).getByRole('button', { name: 'Add seat' }).waitFor()
    expect(await panel.innerText()).toMatch(/Section\s+Stalls\s+Row\s+R1\s+Seat\s+2/)
    await says(page, /^Stalls, row R1, seat 2, free/)
    // A touch alone holds nothing and starts no clock.
    expect(await page.getByRole('timer').count()).toBe(0)
    expect(await ringOf(page)).toBe('none')
    await expectAccessible(page, 'map with a seat card')
    await panel.getByRole('button', { name: 'Close' }).click()
    await cardOf(page).waitFor({ state: 'detached' })
    await page.touchscreen.tap(x, y)
    await cardOf(page).getByRole('button', { name: 'Add seat' }).click()
    // The buyer has what they wanted: the panel tells the rest.
    await panel.getByRole('heading', { name: 'Your seats: Row R1, seat 2' }).waitFor()
    await page.getByRole('timer').waitFor()
    await cardOf(page).waitFor({ state: 'detached' })
    await page.touchscreen.tap(x, y)
    await cardOf(page).getByText('Held for you', { exact: false }).waitFor()
    await cardOf(page).getByRole('button', { name: 'Release' }).click()
    await page.getByText('Nothing chosen yet.').waitFor()
  })

  it('has a shape of its own in each state where the system chooses the colours', async () => {
    const hall = await stage.hall({ seats: 3, perRow: 3 })
    await stage.takeSeat(hall, 2)
    const page = await stage.visitEvent(hall, {
      forcedColors: 'active',
      viewport: { width: 1280, height: 800 },
    })
    const { x, y } = await middleOf(page)
    await page.mouse.click(x, y)
    await page.getByRole('timer').waitFor()
    await page.mouse.move(x, y + 150)
    await cardOf(page).waitFor({ state: 'detached' })
    // So much of each of the three seats is drawn: free and full, mine on its ribbon, a ring of another. The
    // map paints with the next frame, so the page may say first what the seat is.
    let drawn: number[] = []
    await waitUntil('mine has a shape of its own', async () => {
      drawn = (await page.evaluate(SEATS_DRAWN)) as number[]
      return Math.abs(drawn[0]! - drawn[1]!) > 0.05
    }).catch((cause: Error) => Promise.reject(new Error(String(drawn), { cause })))
    const [free, , held] = drawn as [number, number, number]
    expect(free, String(drawn)).toBeGreaterThan(0.5)
    expect(held, String(drawn)).toBeGreaterThan(0.03)
    expect(held, String(drawn)).toBeLessThan(0.5 * free)
    // In the dark as well: what stands on a button has the system's colour, as the button has.
    await expectAccessible(page, 'map in forced colours')
  })

  it('has its card wholly on the map, wherever the seat is', async () => {
    const hall = await stage.hall({ seats: 60, perRow: 20 })
    const page = await stage.visitEvent(hall, { viewport: { width: 844, height: 600 } })
    const map = (await mapOf(page).boundingBox())!
    const seen: string[] = []
    // Along all four edges of the hall and through its middle.
    for (const [across, down] of [
      [0.03, 0.5],
      [0.97, 0.5],
      [0.5, 0.5],
      [0.5, 0.4],
      [0.5, 0.6],
    ] as const) {
      await page.mouse.move(map.x + across * map.width, map.y + down * map.height)
      await page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')
      if ((await cardOf(page).count()) === 0) continue
      const card = (await cardOf(page).boundingBox())!
      seen.push(await cardOf(page).innerText())
      expect(card.x).toBeGreaterThanOrEqual(map.x)
      expect(card.y).toBeGreaterThanOrEqual(map.y)
      expect(card.x + card.width).toBeLessThanOrEqual(map.x + map.width)
      expect(card.y + card.height).toBeLessThanOrEqual(map.y + map.height)
    }
    expect(seen.length).toBeGreaterThan(0)
  })

  it('is neither free nor can it be taken before availability is known', async () => {
    const hall = await stage.hall({ seats: 3, perRow: 3 })
    const page = await stage.visit('/')
    let answer = () => {}
    const asked = new Promise<void>(resolve => {
      answer = resolve
    })
    await page.route('**/availability*', async route => {
      await asked
      await route.continue()
    })
    await page.goto(`${stage.url}/${stage.shop.slug}/events/${hall.eventId}`)
    await mapOf(page).waitFor()
    await page.getByText('We are checking which seats are free').waitFor()
    const { x, y } = await middleOf(page)
    await page.mouse.move(x, y)
    await cardOf(page).getByText('Not known yet', { exact: false }).waitFor()
    await page.mouse.click(x, y)
    answer()
    await live(page)
    await page.mouse.move(x + 1, y)
    await cardOf(page).getByText('Free', { exact: false }).waitFor()
    await page.getByText('We are checking which seats are free').waitFor({ state: 'detached' })
    await page.getByText('Nothing chosen yet.').waitFor()
  })
})

describe('the map by keyboard', () => {
  it('goes from seat to seat, says each, takes one and releases it, and leaves', async () => {
    const hall = await stage.hall({ seats: 30, perRow: 10 })
    const page = await stage.visitEvent(hall)
    await tabTo(page, mapOf(page))
    expect(await ringOf(page)).toBe('solid')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Home')
    await says(page, /^Stalls, row R2, seat 1, free/)
    await page.keyboard.press('ArrowRight')
    await says(page, /^Stalls, row R2, seat 2, free/)
    await page.keyboard.press('ArrowDown')
    await says(page, /^Stalls, row R3, seat 2, free/)
    await page.keyboard.press('PageUp')
    await page.keyboard.press('PageUp')
    await says(page, /^Stalls, row R1, seat 2, free/)
    await page.keyboard.press('End')
    await says(page, /^Stalls, row R1, seat 10, free/)
    // The camera went along: the seat has its card on the screen.
    await cardOf(page).getByText('10', { exact: true }).waitFor()
    await expectAccessible(page, 'map by keyboard')
    await page.keyboard.press('Enter')
    await says(page, /^Stalls, row R1, seat 10, held for you/)
    await page.getByRole('timer').waitFor()
    await page.keyboard.press(' ')
    await page.getByText('Nothing chosen yet.').waitFor()
    await says(page, /^Stalls, row R1, seat 10, free/)
    await page.keyboard.press('Escape')
    await cardOf(page).waitFor({ state: 'detached' })
    // Nothing is caught: Tab goes on.
    await page.keyboard.press('Tab')
    expect(await page.locator(':focus').and(mapOf(page)).count()).toBe(0)
  })

  it('keeps the card at its seat when the map moves under it', async () => {
    const hall = await stage.hall({ seats: 30, perRow: 10 })
    const page = await stage.visitEvent(hall)
    await tabTo(page, mapOf(page))
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Home')
    await says(page, /^Stalls, row R2, seat 1, free/)
    const before = (await cardOf(page).boundingBox())!
    await page.keyboard.press('-')
    const hasMoved = async () => ((await cardOf(page).boundingBox())?.x ?? before.x) > before.x + 5
    await waitUntil('the card is where the seat is now', hasMoved)
  })

  it('reaches places without seats, and Enter asks how many', async () => {
    const hall = await stage.hall({ seats: 0, standing: 5 })
    const page = await stage.visitEvent(hall)
    await tabTo(page, mapOf(page))
    await page.keyboard.press('ArrowDown')
    await says(page, /^Pit, Standing, 5 of 5 free/)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'One more' }).waitFor()
  })
})

describe('a hall with floors', () => {
  /** Plans of floors that lie on top of each other. */
  const floor = (name: string, level: string) => ({
    name,
    level,
    zone_type: 'reserved_seating',
    seats: [1, 2, 3].map(number => ({ row: 'A', number, coordinates: { x: number, y: 0 } })),
  })

  it('shows one at a time: by mouse, by keyboard, by its card, and where the best seats are', async () => {
    const hall = await stage.hall({ seats: 0, zones: [floor('Front', 'Stalls'), floor('Upper', 'Balcony')] })
    for (const ordinal of [0, 1, 2]) await stage.takeSeat(hall, ordinal)
    const page = await stage.visitEvent(hall, { viewport: { width: 1280, height: 800 } })
    const levels = page.getByRole('group', { name: 'Level' })
    const stalls = levels.getByRole('radio', { name: 'Stalls' })
    const isShown = (name: string) => levels.getByRole('radio', { name, checked: true }).waitFor()
    await isShown('Stalls')
    const { x, y } = await middleOf(page)
    await page.mouse.move(x, y)
    await cardOf(page).getByText('Front').waitFor()
    await expectAccessible(page, 'map with levels')

    await tabTo(page, stalls)
    await page.keyboard.press('ArrowRight')
    await isShown('Balcony')
    await page.mouse.move(x + 1, y)
    await cardOf(page).getByText('Upper').waitFor()
    await tabTo(page, mapOf(page))
    await page.keyboard.press('ArrowDown')
    await says(page, /^Upper, row A, seat 2, free/)

    await page.getByRole('heading', { name: 'Balcony' }).waitFor()
    await stalls.check()
    await page.getByRole('button', { name: 'Find the best for me' }).click()
    await page.getByText('2 together in row A').waitFor()
    await isShown('Balcony')
    await page.getByRole('button', { name: 'Take these' }).click()
    await page.getByRole('timer').first().waitFor()
    // A buyer who looks elsewhere meanwhile is led back to their seat.
    await stalls.check()
    await page.getByRole('button', { name: /^Show on the map: Upper/ }).click()
    await isShown('Balcony')
  })
})

/** Returns what is drawn around the map because it has the focus. */
function ringOf(page: Page): Promise<string> {
  return page.evaluate(`(() => {
    const map = document.querySelector('[role=application]')
    const { outlineStyle } = getComputedStyle(map)
    const ring = getComputedStyle(map, '::after')
    if (outlineStyle !== 'none') return outlineStyle
    return ring.content === 'none' ? 'none' : ring.borderTopStyle
  })()`)
}
