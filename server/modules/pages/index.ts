import type { ImageFiles } from '../images/image-files.ts'
import type { ImageMaker } from '../images/image-maker.ts'
import type { Kit, Module } from '../module.ts'
import type { GatewayName } from '../payments/gateway.ts'
import { DrawnCovers } from './drawn-covers.ts'
import { inTime, PATIENCE_MS } from './in-time.ts'
import { PAGE_FOLDER, servePage } from './page.ts'
import { PageDocuments } from './page-documents.ts'
import { readPageParts } from './page-parts.ts'
import { PublicPages } from './public-pages.ts'
import { serveShared } from './serve-shared.ts'
import { createShareMetrics } from './share-metrics.ts'
import { Sitemaps } from './sitemaps.ts'

interface Needs {
  /** The page, as `npm run build` made it. */
  readonly folder: string | undefined
  /** A page waits so long for what Postgres says of it. */
  readonly patienceMs: number | undefined
  readonly gateway: GatewayName
  readonly imageMaker: Pick<ImageMaker, 'draw'>
  readonly imageFiles: ImageFiles
}

/**
 * The page in the browser: its files, and documents that show a storefront or event before its code has come.
 * Search engines, messengers and calendars fetch sitemaps, pictures and dates here.
 */
export function openPages(
  kit: Kit,
  { folder = PAGE_FOLDER, patienceMs = PATIENCE_MS, gateway, imageMaker, imageFiles }: Needs,
): Module {
  const { database, clock, time, log } = kit
  const { pageUrl: origin } = kit.http
  const { onHead } = createShareMetrics(kit.metrics)
  const pages = new PublicPages({ database, clock })
  const sitemaps = new Sitemaps({ database, clock, origin })
  const covers = new DrawnCovers(imageMaker)
  const parts = readPageParts(folder)
  return {
    name: 'pages',
    routes({ fastify }) {
      serveShared(fastify, { pages, sitemaps, images: imageFiles, covers, origin })
      servePage(fastify, {
        folder,
        parts,
        gateway,
        framedBy: slug => inTime({ time, patienceMs }, pages.framedBy(slug), []),
        documents: shell =>
          new PageDocuments(shell, { pages, clock, time, patienceMs, origin, log, onHead, parts }),
      })
    },
  }
}
