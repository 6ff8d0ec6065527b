import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { CHROMIUM_OPTIONS, findChromium } from '../../../scripts/find-chromium.mjs'
import { formatBytes } from '../../format.ts'
import type { Verb } from '../verb.ts'
import { type MapFigures, measureMap } from './measure.ts'
import { buildBuyersPage, buildPage } from './page.ts'
import { printMap } from './report.ts'

/** The seat map in a real browser against the real server. */
export const map: Verb = {
  summary: 'the seat map in headless Chromium: first picture, frames, memory, bytes, change to pixel',
  options: {
    seats: { default: '2000,20000,200000', quick: '300', help: 'sizes of the hall' },
    seconds: { default: '5', quick: '1', help: 'how long each movement is measured' },
    deltas: { default: '1000', quick: '200', help: 'seats that change each second' },
    loads: { default: '5', quick: '1', help: 'visits of which the median counts' },
  },
  async run({ list, number, quick, seed, say }) {
    const browser = await chromium.launch({ executablePath: findChromium(), args: CHROMIUM_OPTIONS })
    const folder = await mkdtemp(join(tmpdir(), 'voelgoed-map-'))
    try {
      const scriptBytes = await buildPage(folder)
      if (!quick) await buildBuyersPage()
      say(`The map's script: ${formatBytes(scriptBytes)} compressed`)
      const figures: MapFigures[] = []
      for (const seats of list('seats')) {
        const figuresOfHall = await measureMap(browser, {
          seats,
          seed,
          seconds: number('seconds'),
          deltasPerSecond: number('deltas'),
          loads: number('loads'),
          withPage: !quick,
          folder,
          say,
        })
        figures.push(figuresOfHall)
      }
      return {
        table: printMap(figures),
        figures: { scriptBytes, halls: figures },
        problems: [],
        quotes: quotesOf(figures),
      }
    } finally {
      await browser.close()
      await rm(folder, { recursive: true, force: true })
    }
  },
}

function quotesOf(figures: readonly MapFigures[]): Record<string, string> {
  return Object.fromEntries(
    figures.map(({ seats, picture }) => [`map.${seats}.picture`, `${picture.laterMs.toFixed(0)} ms`]),
  )
}
