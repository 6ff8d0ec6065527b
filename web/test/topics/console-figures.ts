import { type Hall, UNLIMITED } from '@voelgoed/testing/hall'
import { RedisProxy } from '@voelgoed/testing/redis/proxy'
import { waitUntil } from '@voelgoed/testing/wait-until'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { type CrowdFigures, type CrowdOrder, runCrowd } from '../../../lab/bench/load/crowd.ts'
import { expectAccessible, type Stage } from '../stage.ts'
import { DESK, heading, staffOf } from './console-staff.ts'

const BUYERS = 200
const STALLS = 120
const BALCONY = 40
const PIT = 60
const PRICE = 45_000

interface ZoneRow {
  readonly zone_index: number
  readonly capacity: number
  readonly held: number
  readonly sold: number
  readonly blocked: number
}

/** The console says of an event what Postgres says, while the crowd of the lab buys. */
export function figuresTests(stage: () => Stage): void {
  const { ask, sessionOf } = staffOf(stage)

  const balcony = {
    name: 'Balcony',
    zone_type: 'reserved_seating',
    seats: Array.from({ length: BALCONY }, (_, index) => {
      const [row, place] = [Math.floor(index / 20), index % 20]
      return { row: `B${row + 1}`, number: place + 1, coordinates: { x: place, y: 20 + row } }
    }),
  }

  const guest = async () => {
    const body = { organization: stage().shop.slug }
    const answer = await stage().server.request('POST', '/api/sessions/guest', { body })
    expect(answer.status, answer.text).toBe(201)
    return answer.body.data.token as string
  }

  const guests = async (count: number) => {
    const tokens: string[] = []
    while (tokens.length < count) tokens.push(...(await Promise.all(Array.from({ length: 20 }, guest))))
    return tokens
  }

  /** They want the stalls; who gets a seat keeps it, or gives it back. */
  const crowd = (hall: Hall, tokens: readonly string[], seed: number): CrowdOrder => ({
    port: Number(new URL(stage().url).port),
    eventId: hall.eventId,
    tokens,
    seatIds: hall.seats,
    wanted: Array.from({ length: STALLS }, (_, ordinal) => ordinal),
    withinSeconds: 1,
    thinkMs: 50,
    watching: 10,
    keeping: 60,
    givingBack: 40,
    stayMs: 0,
    tries: 5,
    seed,
  })

  /** Meanwhile: two seats of the balcony are sold, one is blocked, and a guest takes places in the pit. */
  const elsewhere = async (hall: Hall, round: number) => {
    const [first, second, third] = hall.seats.slice(STALLS + 3 * round)
    const held = await ask('organizer', 'POST', `${hall.url}/holds`, { seat_ids: [first, second] })
    expect(held.status, held.text).toBe(201)
    const hold_ids = held.body.data.holds.map(({ hold_id }: { hold_id: string }) => hold_id)
    const lines = hold_ids.map((hold_id: string) => ({ hold_id, amount: PRICE }))
    const order = { event_id: hall.eventId, hold_ids, lines, currency: 'ZAR', method: 'cash' }
    const sold = await ask('organizer', 'POST', '/api/admin/orders', { ...order, allow_stranding: true })
    expect(sold.status, sold.text).toBe(201)
    const block = { seat_ids: [third], reason: 'Camera' }
    const blocked = await ask('organizer', 'POST', `/api/admin/events/${hall.eventId}/seats/block`, block)
    expect(blocked.status, blocked.text).toBe(200)
    const options = { token: await guest(), body: { zone_id: hall.zones[1], quantity: 2 } }
    const placed = await stage().server.request('POST', `${hall.url}/holds`, options)
    expect(placed.status, placed.text).toBe(201)
  }

  /** The console behind a line of its own, which can be cut; it carries any protocol. */
  const visitByLine = async (path: string) => {
    const line = await RedisProxy.start(stage().url)
    const url = `http://127.0.0.1:${new URL(line.url).port}`
    const storageState = await sessionOf('organizer', url)
    const page = await stage().visit('/console', { ...DESK, storageState })
    const goto = (to: string) => page.goto(`${url}/${stage().shop.slug}/console${to}`)
    await goto(path)
    const says = (state: string) => page.getByText(state, { exact: true }).first().waitFor()
    return {
      line,
      page,
      goto,
      says,
      async cut() {
        line.shut()
        await says('Offline')
      },
      async mend() {
        line.open()
        // As a browser says it.
        await page.evaluate("window.dispatchEvent(new Event('online'))")
        await says('Up to date')
      },
    }
  }

  /** By the rows of seats, holds and tickets, not by any counter. */
  const truth = async (hall: Hall): Promise<readonly ZoneRow[]> => {
    const rows = await stage().server.database.sql<ZoneRow>(
      `with places as (
         select case when ordinal < ${STALLS} then 0 else 2 end as zone_index, status::text, 1 as quantity
         from event_seats where event_id = $1
         union all
         select zone_index, status::text, quantity from place_holds where event_id = $1)
       select c.zone_index, c.capacity,
         coalesce(sum(p.quantity) filter (where p.status = 'held'), 0)::int as held,
         coalesce(sum(p.quantity) filter (where p.status = 'sold'), 0)::int as sold,
         coalesce(sum(p.quantity) filter (where p.status = 'blocked'), 0)::int as blocked
       from zone_counts c left join places p using (zone_index)
       where c.event_id = $1 group by 1, 2 order by 1`,
      [hall.eventId],
    )
    return rows
  }

  const shown = async (page: Page) => ({
    figures: await Promise.all(
      ['Sold', 'Held', 'Available', 'Blocked'].map(async name => {
        const dt = page.locator('dl > div dt').getByText(name, { exact: true })
        return [name, await dt.locator('xpath=../dd[1]/strong').innerText()]
      }),
    ),
    zones: (await page.locator('.zones li').allInnerTexts()).map(words => words.split(/\s*\n\s*/)),
  })

  /** As the screen writes what Postgres has. */
  const expected = (rows: readonly ZoneRow[]) => {
    const sum = (of: (row: ZoneRow) => number) => rows.reduce((all, row) => all + of(row), 0)
    const free = ({ capacity, held, sold, blocked }: ZoneRow) => capacity - held - sold - blocked
    const percent = ({ sold, capacity }: ZoneRow) => `${Math.round((1000 * sold) / capacity) / 10} %`
    return {
      figures: [
        ['Sold', String(sum(row => row.sold))],
        ['Held', String(sum(row => row.held))],
        ['Available', String(sum(free))],
        ['Blocked', String(sum(row => row.blocked))],
      ],
      zones: rows.map((row, index) => [
        ['Stalls', 'Pit', 'Balcony'][index],
        [row.held > 0 && `${row.held} held`, row.blocked > 0 && `${row.blocked} blocked`, `${free(row)} free`]
          .filter(Boolean)
          .join(' · '),
        `${percent(row)} ${row.sold}/${row.capacity}`,
      ]),
    }
  }

  /** A buyer who keeps a seat asks for more time. The seat is held, granted or not. */
  const kept = ({ ends }: CrowdFigures) => ends.kept + ends.letExpire

  describe('figures', () => {
    it('are right to the last seat while a crowd buys and the connection breaks twice', async () => {
      const hall = await stage().hall({
        seats: STALLS,
        perRow: 20,
        standing: PIT,
        zones: [balcony],
        event: { name: 'Crowd', seating_overrides: { ...UNLIMITED, orphan_avoidance_strict: false } },
      })
      const tokens = await guests(BUYERS)
      const { line, page, goto, says, cut, mend } = await visitByLine(`/events/${hall.eventId}`)
      const figure = (name: string) => page.locator('dl > div', { hasText: name }).first().locator('strong')
      await says('Up to date')
      await figure('Available').getByText('220', { exact: true }).waitFor()

      // The first half comes while the page listens; it loses the line, and finds it again among them.
      const first = runCrowd(crowd(hall, tokens.slice(0, BUYERS / 2), 1), () => {})
      await figure('Held')
        .getByText(/^[1-9]/)
        .waitFor()
      await cut()
      for (let round = 0; round < 3; round += 1) await elsewhere(hall, round)
      await mend()
      const early = await first
      // The second half has come and gone before it is back.
      await cut()
      const late = await runCrowd(crowd(hall, tokens.slice(BUYERS / 2), 2), () => {})
      for (let round = 3; round < 6; round += 1) await elsewhere(hall, round)
      await mend()

      expect(early.ends.broken + late.ends.broken, JSON.stringify([early.broken, late.broken])).toBe(0)
      const rows = await truth(hall)
      expect(rows.map(({ held, sold, blocked }) => [held, sold, blocked])).toEqual([
        [kept(early) + kept(late), 0, 0],
        [12, 0, 0],
        [0, 12, 6],
      ])
      const wanted = expected(rows)
      await waitUntil(
        'the screen says what Postgres has',
        async () => JSON.stringify(await shown(page)) === JSON.stringify(wanted),
      ).catch(() => {})
      expect(await shown(page)).toEqual(wanted)
      await page.getByText('Held by a guest').first().waitFor()
      await expectAccessible(page, 'overview')

      await goto(`/events/${hall.eventId}/report`)
      await heading(page, 'Crowd')
      const gross = page.locator('dl > div', { hasText: 'Gross' }).first()
      await gross.getByText(/^R\s?5[\s,]?400[.,]00$/).waitFor()
      await page.close()
      await line.close()
    })
  })
}
