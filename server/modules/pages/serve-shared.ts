import { isUuid } from '@voelgoed/core/ids'
import { acceptedEncoding } from '@voelgoed/kit/http/accepted-encoding'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { imageFileAnswer } from '../images/image-answer.ts'
import type { ImageFiles } from '../images/image-files.ts'
import { chooseLanguage } from '../mail/language.ts'
import { eventCalendar, openingCalendar } from '../tickets/calendar.ts'
import { coverHash, type DrawnCovers } from './drawn-covers.ts'
import type { PublicPages } from './public-pages.ts'
import { robotsText, type SitemapFile, type Sitemaps } from './sitemaps.ts'
import { webManifest } from './web-manifest.ts'

export interface SharedDeps {
  readonly pages: PublicPages
  readonly sitemaps: Sitemaps
  readonly images: ImageFiles
  readonly covers: DrawnCovers
  readonly origin: () => string
}

const IMAGE_TYPES: Readonly<Record<string, string>> = {
  webp: 'image/webp',
  jpg: 'image/jpeg',
  png: 'image/png',
}
const AN_HOUR = 'public, max-age=3600'

/** Serves what search engines and calendars fetch. Like the page it is not part of the contract. */
export function serveShared(
  fastify: FastifyInstance,
  { pages, sitemaps, images, covers, origin }: SharedDeps,
): void {
  fastify.get('/robots.txt', (_request, reply) =>
    reply.header('cache-control', AN_HOUR).type('text/plain; charset=utf-8').send(robotsText(origin())),
  )

  fastify.get('/sitemap.xml', async (request, reply) => sendSitemap(request, reply, await sitemaps.index()))

  fastify.get<{ Params: { page: string } }>('/sitemap-:page(^[1-9]\\d{0,4}$).xml', async (request, reply) => {
    const file = await sitemaps.page(Number(request.params.page))
    return file ? sendSitemap(request, reply, file) : reply.callNotFound()
  })

  fastify.get<{ Params: { organization: string; event: string } }>(
    '/:organization/events/:event/calendar.ics',
    async (request, reply) => {
      const { organization, event: id } = request.params
      const page = isUuid(id) ? await pages.event(organization, id.toLowerCase()) : null
      if (!page) return reply.callNotFound()
      const { event } = page
      const text = eventCalendar(
        {
          name: event.name,
          status: event.status,
          timeZone: event.time_zone,
          startsAt: event.starts_at,
          doorsAt: event.doors_at,
          days: event.days,
          updatedAt: event.updated_at,
          venue: { name: event.venue_name, address: event.venue_address },
        },
        {
          id: event.id,
          url: `${origin()}/${page.organization.slug}/events/${event.id}`,
          language: chooseLanguage(request.headers['accept-language'] ?? null, page.organization.locale),
        },
      )
      if (text === null) return reply.callNotFound()
      return reply
        .headers({ 'cache-control': 'no-cache', 'content-disposition': 'attachment; filename="event.ics"' })
        .type('text/calendar; charset=utf-8')
        .send(text)
    },
  )

  fastify.get<{ Params: { organization: string; event: string } }>(
    '/:organization/events/:event/opening.ics',
    async (request, reply) => {
      const { organization, event: id } = request.params
      const page = isUuid(id) ? await pages.event(organization, id.toLowerCase()) : null
      if (!page) return reply.callNotFound()
      const { event } = page
      const text = openingCalendar(
        { name: event.name, updatedAt: event.updated_at, saleStart: event.sale_start },
        {
          id: event.id,
          url: `${origin()}/${page.organization.slug}/events/${event.id}`,
          language: chooseLanguage(request.headers['accept-language'] ?? null, page.organization.locale),
        },
      )
      if (text === null) return reply.callNotFound()
      return reply
        .headers({ 'cache-control': 'no-cache', 'content-disposition': 'attachment; filename="sale.ics"' })
        .type('text/calendar; charset=utf-8')
        .send(text)
    },
  )

  fastify.get<{ Params: { organization: string; hash: string; name: string } }>(
    '/:organization/images/:hash/:name',
    async (request, reply) => {
      const { organization, hash, name } = request.params
      const type = IMAGE_TYPES[/^[a-z0-9]{1,10}\.(webp|jpg|png)$/.exec(name)?.[1] ?? '']
      const scope = type && /^[\w-]{22}$/.test(hash) ? await pages.scopeOf(organization) : null
      const bytes = scope && (await images.find(scope, hash, name))
      if (!bytes) return reply.callNotFound()
      return sendImage(request, reply, { etag: `"${hash}-${name}"`, type: type!, bytes })
    },
  )

  fastify.get<{ Params: { organization: string } }>(
    '/:organization/manifest.webmanifest',
    async (request, reply) => {
      const page = await pages.storefront(request.params.organization)
      if (!page) return reply.callNotFound()
      return reply
        .headers({ 'cache-control': 'no-cache' })
        .type('application/manifest+json; charset=utf-8')
        .send(JSON.stringify(webManifest(page)))
    },
  )

  fastify.get<{ Params: { organization: string; event: string; hash: string } }>(
    '/:organization/events/:event/cover/:hash(^[\\w-]{22}$).jpg',
    async (request, reply) => {
      const { organization, event: id, hash } = request.params
      const page = isUuid(id) ? await pages.event(organization, id.toLowerCase()) : null
      const isOurs = page && hash === coverHash(page.event.name)
      const bytes = isOurs ? await covers.find(page.event.name, page.organization.slug) : null
      if (!bytes) return reply.callNotFound()
      return sendImage(request, reply, { etag: `"${hash}"`, type: 'image/jpeg', bytes })
    },
  )
}

function sendImage(
  request: FastifyRequest,
  reply: FastifyReply,
  file: { readonly etag: string; readonly type: string; readonly bytes: Buffer },
): FastifyReply {
  const answer = imageFileAnswer(request.headers, file, 'public')
  return reply
    .code(answer.status)
    .headers(answer.headers)
    .send(answer.bytes ?? undefined)
}

function sendSitemap(request: FastifyRequest, reply: FastifyReply, file: SitemapFile): FastifyReply {
  const isPacked = acceptedEncoding(request.headers, ['gzip']) === 'gzip'
  reply.headers({ 'cache-control': AN_HOUR, vary: 'accept-encoding' })
  if (isPacked) reply.header('content-encoding', 'gzip')
  return reply.type('application/xml; charset=utf-8').send(isPacked ? file.gzip : file.identity)
}
