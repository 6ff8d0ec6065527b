import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Clock } from '@voelgoed/kit/base/clock'
import { type Database, TooManyWaiting } from '@voelgoed/kit/postgres/database'
import { type Html, html } from './html.ts'
import { countPublicAddresses, listPublicAddresses, type PublicAddress } from './tables/public-pages.ts'

/** Addresses of one file. The protocol allows 50,000: so many would keep buyers waiting while it is made. */
const SITEMAP_ADDRESSES = 5_000
/** Files of an index, as the protocol allows. */
const MAX_FILES = 50_000
/** For so long a file is sent as it is. */
const KEPT_MS = 10 * 60_000
const MAX_KEPT = 8
const MAX_WAITING = 16

export interface SitemapFile {
  readonly identity: Buffer
  readonly gzip: Buffer
}

/** Lists storefronts and events on sale for search engines, over all organizations. */
export class Sitemaps {
  readonly #database: Database
  readonly #clock: Clock
  readonly #origin: () => string
  readonly #kept = new Map<number, { readonly file: SitemapFile | null; readonly until: number }>()
  #running: Promise<unknown> = Promise.resolve()
  #waiting = 0

  constructor(deps: { readonly database: Database; readonly clock: Clock; readonly origin: () => string }) {
    this.#database = deps.database
    this.#clock = deps.clock
    this.#origin = deps.origin
  }

  async index(): Promise<SitemapFile> {
    return (await this.#file(0, () => this.#makeIndex()))!
  }

  /** Pages count from 1; null: there is no such page. */
  page(number: number): Promise<SitemapFile | null> {
    return this.#file(number, () => this.#makePage(number))
  }

  /** Files are made one after another: they are large, and only robots read them. */
  async #file(number: number, make: () => Promise<Html | null>): Promise<SitemapFile | null> {
    const fresh = this.#fresh(number)
    if (fresh) return fresh.file
    if (this.#waiting >= MAX_WAITING) throw new TooManyWaiting('too many ask for sitemaps')
    this.#waiting += 1
    const making = this.#running.then(async () => {
      const made = this.#fresh(number)
      if (made) return made.file
      const document = await make()
      const file = document && (await packed(document))
      this.#kept.delete(number)
      this.#kept.set(number, { file, until: this.#clock.elapsed() + KEPT_MS })
      if (this.#kept.size > MAX_KEPT) this.#kept.delete(this.#kept.keys().next().value!)
      return file
    })
    this.#running = making.catch(() => {})
    return making.finally(() => {
      this.#waiting -= 1
    })
  }

  #fresh(number: number): { readonly file: SitemapFile | null } | null {
    const kept = this.#kept.get(number)
    return kept && this.#clock.elapsed() < kept.until ? kept : null
  }

  async #makeIndex(): Promise<Html> {
    const count = await this.#database.platform('list public pages', countPublicAddresses)
    const pages = Math.min(MAX_FILES, Math.max(1, Math.ceil(count / SITEMAP_ADDRESSES)))
    const files = Array.from(
      { length: pages },
      (_, index) => html`<sitemap><loc>${`${this.#origin()}/sitemap-${index + 1}.xml`}</loc></sitemap>
`,
    )
    return html`<?xml version="1.0" encoding="UTF-8"?>
<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${files}</sitemapindex>
`
  }

  async #makePage(number: number): Promise<Html | null> {
    const skip = (number - 1) * SITEMAP_ADDRESSES
    const addresses = await this.#database.platform('list public pages', tx =>
      listPublicAddresses(tx, { skip, limit: SITEMAP_ADDRESSES }),
    )
    if (addresses.length === 0 && number > 1) return null
    return html`<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${addresses.map(address => this.#entry(address))}</urlset>
`
  }

  #entry({ slug, event_id, updated_at }: PublicAddress): Html {
    const url = `${this.#origin()}/${slug}${event_id === null ? '' : `/events/${event_id}`}`
    return updated_at === null
      ? html`<url><loc>${url}</loc></url>
`
      : html`<url><loc>${url}</loc><lastmod>${updated_at.toISOString()}</lastmod></url>
`
  }
}

const pack = promisify(gzip)

async function packed({ text }: Html): Promise<SitemapFile> {
  const identity = Buffer.from(text)
  return { identity, gzip: await pack(identity) }
}

/** Tells robots to leave alone pages that are one buyer's, and what is no page. */
export function robotsText(origin: string): string {
  return [
    'User-agent: *',
    'Disallow: /api/',
    'Disallow: /scan',
    'Disallow: /*/checkout',
    'Disallow: /*/orders/',
    'Disallow: /*/account',
    'Disallow: /*/password',
    '',
    `Sitemap: ${origin}/sitemap.xml`,
    '',
  ].join('\n')
}
