import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { Clock } from '@voelgoed/kit/base/clock'
import type { Time } from '@voelgoed/kit/base/time'
import type { FastifyBaseLogger } from 'fastify'
import { chooseLanguage, type MailLanguage } from '../mail/language.ts'
import { firstView } from './first-view.ts'
import type { Html } from './html.ts'
import { inTime } from './in-time.ts'
import { type PublicPage, pageHead } from './page-head.ts'
import { type PageParts, partLinks } from './page-parts.ts'
import type { PublicPages } from './public-pages.ts'
import { type PublicEvent, publicSalesEnd } from './tables/public-pages.ts'

/** The shell of the page with a head of its own, and what is painted before its code has come. */
export interface PageDocument {
  readonly etag: string
  readonly identity: Buffer
  readonly gzip: Buffer
}

export function documentOf(text: string): PageDocument {
  const identity = Buffer.from(text)
  const etag = createHash('sha256').update(identity).digest('base64url').slice(0, 22)
  return { etag, identity, gzip: gzipSync(identity) }
}

export type HeadSource = 'memory' | 'postgres' | 'not_public' | 'late'

export interface PageDocumentsDeps {
  readonly pages: Pick<PublicPages, 'event' | 'storefront'>
  readonly clock: Clock
  readonly time: Pick<Time, 'after'>
  /** A reader waits so long for the head of a page. */
  readonly patienceMs: number
  readonly origin: () => string
  readonly log: Pick<FastifyBaseLogger, 'warn'>
  readonly onHead: (from: HeadSource) => void
  readonly parts: PageParts
}

/** For so long a page is shown as it was read. */
const FRESH_MS = 2_000
/** Pages in memory: some 8 kB each. */
const MAX_PAGES = 2_000
/** As long as Postgres is away, every reader would say so. */
const WARN_EVERY_MS = 60_000
const MINUTE_MS = 60_000

interface KnownPage {
  /** All that its documents are made of. */
  stamp: string
  page: PublicPage | null
  readUntil: number
  reading: Promise<void> | null
  readonly documents: Map<MailLanguage, PageDocument>
}

/** The documents of public pages: made once for each state of an event and each language. */
export class PageDocuments {
  readonly #shell: Shell
  readonly #deps: PageDocumentsDeps
  readonly #known = new Map<string, KnownPage>()
  #warnedAt = Number.NEGATIVE_INFINITY

  constructor(shell: string, deps: PageDocumentsDeps) {
    this.#shell = new Shell(shell)
    this.#deps = deps
  }

  get size(): number {
    return this.#known.size
  }

  /** Null: not public, or not known in time. Both are the shell as it is. */
  async find(
    slug: string,
    eventId: string | null,
    acceptLanguage: string | null,
  ): Promise<PageDocument | null> {
    const { clock, onHead } = this.#deps
    const known = this.#entry(`${slug}/${eventId ?? ''}`)
    let from: HeadSource = 'memory'
    if (clock.elapsed() >= known.readUntil) {
      known.reading ??= this.#read(known, slug, eventId)
      from = await inTime<HeadSource>(
        this.#deps,
        known.reading.then(() => 'postgres'),
        'late',
      )
    }
    onHead(from === 'late' ? from : known.page ? from : 'not_public')
    return known.page && this.#document(known, known.page, acceptLanguage)
  }

  #entry(key: string): KnownPage {
    const known = this.#known.get(key) ?? {
      stamp: '',
      page: null,
      readUntil: Number.NEGATIVE_INFINITY,
      reading: null,
      documents: new Map(),
    }
    this.#known.delete(key)
    this.#known.set(key, known)
    if (this.#known.size > MAX_PAGES) this.#known.delete(this.#known.keys().next().value!)
    return known
  }

  async #read(known: KnownPage, slug: string, eventId: string | null): Promise<void> {
    const { pages, clock, log } = this.#deps
    try {
      const page = await (eventId === null ? pages.storefront(slug) : pages.event(slug, eventId))
      // A sale opens and closes by the clock as well, so such an event is written again every minute.
      const minute = Math.floor(clock.now() / MINUTE_MS)
      const stamp = JSON.stringify([page, page?.kind === 'event' && opensOrCloses(page.event) ? minute : 0])
      if (stamp !== known.stamp) known.documents.clear()
      Object.assign(known, { page, stamp, readUntil: clock.elapsed() + FRESH_MS })
    } catch (error) {
      // Not every reader waits for a Postgres that is away.
      known.readUntil = clock.elapsed() + FRESH_MS
      if (clock.elapsed() - this.#warnedAt >= WARN_EVERY_MS) {
        this.#warnedAt = clock.elapsed()
        log.warn(
          { err: error, organization: slug, event_id: eventId },
          'pages go out without their own titles',
        )
      }
      throw error
    } finally {
      known.reading = null
    }
  }

  #document(known: KnownPage, page: PublicPage, acceptLanguage: string | null): PageDocument {
    const language = chooseLanguage(acceptLanguage, page.organization.locale)
    let document = known.documents.get(language)
    if (!document) {
      const now = this.#deps.clock.now()
      const head = pageHead(page, { language, origin: this.#deps.origin(), now })
      const first = firstView(page, { language, now })
      const links = partLinks(this.#deps.parts, page.kind, language, { isPainted: page.kind === 'event' })
      const { slug } = page.organization
      document = documentOf(this.#shell.with({ language, head, links, first, slug }))
      known.documents.set(language, document)
    }
    return document
  }
}

function opensOrCloses(event: PublicEvent): boolean {
  return event.sale_start !== null || publicSalesEnd(event) !== null
}

/** The built page: its own title and description give way to those of what it shows. */
class Shell {
  readonly #text: string

  constructor(text: string) {
    this.#text = text.replace(/<meta name="description"[^>]*>\s*/, '')
  }

  with({
    language,
    head,
    links,
    first,
    slug,
  }: {
    readonly language: MailLanguage
    readonly head: Html
    readonly links: Html
    readonly first: Html
    readonly slug: string
  }): string {
    return this.#text
      .replace(/<html lang="[a-z]*"/, `<html lang="${language}"`)
      .replace(/<title>[^<]*<\/title>/, () => head.text)
      .replace('href="/manifest.webmanifest"', () => `href="/${slug}/manifest.webmanifest"`)
      .replace('</head>', () => `${links.text}</head>`)
      .replace('<div id="app">', root => first.text + root)
  }
}
