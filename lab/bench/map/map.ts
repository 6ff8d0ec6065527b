import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WITHIN_MS } from '@voelgoed/testing/wait-until'
import { chromium } from 'playwright-core'
import { CHROMIUM_OPTIONS, findChromium } from '../../../scripts/find-chromium.mjs'
import { formatBytes } from '../../format.ts'
import type { Scenario } from '../scenario.ts'
import { type Row, toFirst } from '../table.ts'
import { type MapFigures, measureMap, type Spread } from './measure.ts'
import { buildBuyersPage, buildPage } from './page.ts'

/** The seat map in a real browser against the real server. */
export const map: Scenario = {
  summary: 'the seat map in headless Chromium: first picture, frames, memory, bytes, change to pixel',
  options: {
    seats: { default: '2000,20000,200000', quick: '300', help: 'sizes of the hall' },
    seconds: { default: '5', quick: '1', help: 'how long each movement is measured' },
    deltas: { default: '1000', quick: '200', help: 'seats that change each second' },
    loads: { default: '5', quick: '1', help: 'visits of which the median counts' },
  },
  async run({ list, number, quick, seed, say }) {
    const browser = await chromium.launch({
      ...{ executablePath: findChromium(), args: CHROMIUM_OPTIONS, timeout: WITHIN_MS },
    })
    const folder = await mkdtemp(join(tmpdir(), 'voelgoed-map-'))
    try {
      const scriptBytes = await buildPage(folder)
      if (!quick) await buildBuyersPage()
      const rows: Row[] = []
      for (const seats of list('seats')) {
        const [seconds, deltasPerSecond, loads] = [number('seconds'), number('deltas'), number('loads')]
        const run = { seats, seed, seconds, deltasPerSecond, loads, withPage: !quick, folder, say }
        rows.push(rowOf(await measureMap(browser, run)))
      }
      const notes = [
        `Frames and changes: median and 95th. The map's script: ${formatBytes(scriptBytes)} compressed.`,
      ]
      return { tables: [{ quote: 'map.table', rows, ratios: [toFirst(rows, 'firstPictureMs')], notes }] }
    } finally {
      await browser.close()
      await rm(folder, { recursive: true, force: true })
    }
  },
}

function rowOf({ seats, picture, page, wire, frames, deltas, framesUnderDeltas, memory }: MapFigures): Row {
  const both = (name: string, { medianMs, p95Ms }: Spread) => ({
    [`${name}Ms`]: medianMs,
    [`${name}P95Ms`]: p95Ms,
  })
  return {
    what: `${seats.toLocaleString('en')} seats`,
    figures: {
      firstPictureMs: picture.laterMs,
      withItsNamesMs: picture.namesMs,
      mapNotMadeYetMs: picture.firstVisitorMs,
      onTheBuyersPageMs: page?.pictureMs,
      buyersPageBytes: page?.scriptBytes,
      readingTheDocumentMs: picture.decodeMs,
      ...wire,
      ...both('framePanningDots', frames.panDots),
      ...both('framePanningSeats', frames.panSeats),
      ...both('frameZooming', frames.zoom),
      changesSeenPerSecond: deltas.changesPerSecond,
      ...both('changeToPixel', deltas),
      ...both('framePanningMeanwhile', framesUnderDeltas),
      ...memory,
    },
  }
}
