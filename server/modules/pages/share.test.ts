import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import {
  eventOnSale,
  ROOT_KEY,
  startTestServer,
  type TestOrganization,
  type TestServer,
} from '@voelgoed/testing/harness'
import { temporaryFolder } from '@voelgoed/testing/process'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const SHELL = `<!doctype html>
<html lang="en"><head><meta charset="utf-8" />
<meta name="description" content="Choose your seats" />
<link rel="manifest" href="/manifest.webmanifest" />
<title>VoelgoedEvents</title></head><body><div id="app"></div></body></html>`
const ORIGIN = 'https://tickets.example'
const HOSTILE = `</title><script>alert(1)</script>"'<!-- & ]]> \u2028`
/** A name is one line. */
const NAME = HOSTILE.replace('\u2028', '')
const FRESH_MS = 2_000
const PICTURE = { create: { width: 20, height: 10, channels: 3 as const, background: '#336699' } }

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let server: TestServer
let theatre: TestOrganization
let other: TestOrganization

beforeAll(async () => {
  folder = await temporaryFolder()
  await writeFile(join(folder.path, 'index.html'), SHELL)
  server = await startTestServer({ PUBLIC_URL: ORIGIN }, { pageFolder: folder.path })
  theatre = await server.organization('Old Town')
  other = await server.organization('Corner Shop')
})
afterAll(async () => {
  await server.close()
  await folder.remove()
})

const open = (path: string, headers: Record<string, string> = {}) =>
  server.request('GET', path, { headers: { accept: 'text/html', ...headers } })

const staff = async (method: string, url: string, body?: object, headers = {}) => {
  const answer = await server.request(method, url, {
    token: theatre.tokens.admin,
    headers,
    ...(body && { body }),
  })
  expect(answer.status, answer.text).toBeLessThan(300)
  return answer.body.data
}

/** The server does not read again what it read a moment ago. */
const later = () => server.clock.advance(FRESH_MS)

const meta = (text: string, name: string) =>
  new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)"`).exec(text)?.[1]
const dataOf = (text: string) =>
  JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/s.exec(text)![1]!)

const PRICES = {
  currency: 'ZAR',
  categories: [
    {
      key: 'a',
      name: 'A',
      ticket_types: [
        { key: 'full', name: 'Full', amount: 35_000 },
        { key: 'child', name: 'Child', amount: 17_550 },
      ],
    },
  ],
}

const setPrices = async (eventId: string) => {
  const layout = await staff('GET', `/api/events/${eventId}/layout`)
  const zones = { [layout.zones[0].zone_id]: 'a' }
  await staff('PUT', `/api/admin/events/${eventId}/prices`, { ...PRICES, zones }, { 'if-match': '"0"' })
}

describe('the page of an event', () => {
  it('says what it is, to people, to search engines and to those that show a shared link', async () => {
    const made = await eventOnSale(server, theatre, undefined, {
      name: 'Hamlet',
      starts_at: '2099-03-01T17:30:00Z',
    })
    await staff('PATCH', `/api/admin/venues/${made.venueId}`, {
      address: '1 Main Road',
      time_zone: 'Africa/Johannesburg',
    })
    await setPrices(made.eventId)
    const path = `/${theatre.slug}/events/${made.eventId}`
    const answer = await open(path)
    expect(answer.status).toBe(200)
    expect(answer.text).toContain('<title>Hamlet · Old Town</title>')
    expect(answer.text.match(/<title>/g)).toHaveLength(1)
    expect(answer.text.match(/name="description"/g)).toHaveLength(1)
    expect(answer.text).toContain(`<link rel="canonical" href="${ORIGIN}${path}" />`)
    expect(meta(answer.text, 'og:url')).toBe(ORIGIN + path)
    expect(meta(answer.text, 'og:site_name')).toBe('Old Town')
    expect(meta(answer.text, 'description')).toMatch(
      /^Sunday,? 1 March 2099.*\. At Hall\. Tickets from R.?175[,.]50\./,
    )
    // Painted before the code has come, in the place of the page.
    expect(answer.text).toMatch(
      /<div id="first">.*<h1>Hamlet<\/h1><p>Sun,? 0?1 Mar,? 19:30 · Hall<\/p>.*<\/div>\s*<div id="app">/s,
    )
    expect(answer.headers['content-security-policy']).toMatch(/script-src 'self';/)
    expect(answer.headers['x-robots-tag']).toBeUndefined()
    expect(dataOf(answer.text)).toEqual({
      '@context': 'https://schema.org',
      '@type': 'Event',
      name: 'Hamlet',
      description: expect.stringContaining('At Hall.'),
      url: ORIGIN + path,
      image: [expect.stringContaining(`${ORIGIN}${path}/cover/`)],
      startDate: '2099-03-01T19:30:00+02:00',
      eventStatus: 'https://schema.org/EventScheduled',
      eventAttendanceMode: 'https://schema.org/OfflineEventAttendanceMode',
      location: { '@type': 'Place', name: 'Hall', address: '1 Main Road' },
      organizer: { '@type': 'Organization', name: 'Old Town', url: `${ORIGIN}/${theatre.slug}` },
      offers: {
        '@type': 'AggregateOffer',
        url: ORIGIN + path,
        priceCurrency: 'ZAR',
        lowPrice: '175.50',
        highPrice: '350.00',
        availability: 'https://schema.org/InStock',
        validThrough: '2099-03-01T19:30:00+02:00',
      },
    })
  })

  it('shows its picture, its doors and its own words, and the brand for the page', async () => {
    const { eventId } = await eventOnSale(server, theatre, undefined, {
      name: 'Pictured',
      description: `A play about ${HOSTILE}`,
      starts_at: '2099-03-01T17:30:00Z',
      doors_at: '2099-03-01T17:00:00Z',
    })
    await staff('PATCH', '/api/admin/organization', { colour: '#0f6b8a' })
    const path = `/${theatre.slug}/events/${eventId}`
    const before = await open(path)
    // Drawn from its name, for everyone who may see the event, and at no other address.
    const drawn = meta(before.text, 'og:image')!
    expect(drawn).toMatch(new RegExp(`^${ORIGIN}${path}/cover/[\\w-]{22}\\.jpg$`))
    expect(meta(before.text, 'twitter:card')).toBe('summary_large_image')
    const { pathname } = new URL(drawn)
    const picture = await server.node.app.fastify.inject({ method: 'GET', url: pathname })
    expect([picture.statusCode, picture.headers['content-type']]).toEqual([200, 'image/jpeg'])
    expect(await sharp(picture.rawPayload).metadata()).toMatchObject({
      format: 'jpeg',
      width: 1200,
      height: 630,
    })
    for (const elsewhere of [
      pathname.replace(/.{4}\.jpg$/, 'none.jpg'),
      pathname.replace(theatre.slug, 'not-there'),
      pathname.replace(eventId, '01970000-0000-7000-8000-000000000000'),
    ])
      expect((await server.request('GET', elsewhere)).status, elsewhere).toBe(404)
    const set = async (place: string) => {
      const answer = await server.request('PUT', `/api/admin/${place}`, {
        token: theatre.tokens.admin,
        raw: await sharp(PICTURE).png().toBuffer(),
        headers: { 'content-type': 'image/png' },
      })
      return answer.body.data
    }
    const cover = await set('organization/cover')
    later()
    // Without a picture of its own it has that of the organization.
    expect(meta((await open(path)).text, 'og:image')).toBe(ORIGIN + cover.plain.url)
    const image = await set(`events/${eventId}/image`)
    const logo = await set('organization/logo')
    later()
    const { text } = await open(path)
    expect(meta(text, 'og:image')).toBe(ORIGIN + image.plain.url)
    expect(meta(text, 'og:image:type')).toBe('image/jpeg')
    expect(meta(text, 'twitter:card')).toBe('summary_large_image')
    const manifest = /<link rel="manifest" href="([^"]+)"/.exec(text)![1]!
    expect(manifest).toBe(`/${theatre.slug}/manifest.webmanifest`)
    expect((await server.request('GET', manifest)).body).toMatchObject({
      name: 'Old Town',
      start_url: `/${theatre.slug}`,
      theme_color: '#0f6b8a',
    })
    expect((await server.request('GET', '/not-there/manifest.webmanifest')).status).toBe(404)
    const data = dataOf(text)
    expect(data.image).toEqual([ORIGIN + image.plain.url])
    expect(data.description).toBe(`A play about ${HOSTILE}`)
    expect(data.doorTime).toMatch(/^2099-03-01T1\d:00:00/)
    const brand = meta(text, 'brand')!.replaceAll('&quot;', '"')
    expect(JSON.parse(brand)).toEqual({
      slug: theatre.slug,
      name: 'Old Town',
      colour: '#0f6b8a',
      logo,
      cover,
    })
    expect(dataOf((await open(`/${theatre.slug}`)).text).logo).toBe(ORIGIN + logo.plain.url)
    for (const place of ['organization/cover', 'organization/logo'])
      await server.request('DELETE', `/api/admin/${place}`, { token: theatre.tokens.admin })
  })

  it('follows the event: its name, its sale, its end', async () => {
    const { eventId } = await eventOnSale(server, theatre, undefined, { name: 'First name' })
    await setPrices(eventId)
    const path = `/${theatre.slug}/events/${eventId}`
    const first = await open(path)
    const etag = String(first.headers.etag)
    expect((await open(path, { 'if-none-match': etag })).status).toBe(304)

    const inAWeek = new Date(server.clock.now() + 7 * 86_400_000).toISOString()
    await staff('PATCH', `/api/admin/events/${eventId}`, { name: 'Second name', sale_start: inAWeek })
    later()
    const second = await open(path, { 'if-none-match': etag })
    expect(second.text).toContain('<title>Second name · Old Town</title>')
    expect(dataOf(second.text).offers.availability).toBe('https://schema.org/PreOrder')
    expect(meta(second.text, 'description')).toContain('On sale from ')

    await staff('POST', `/api/admin/events/${eventId}/cancel`)
    later()
    const third = await open(path)
    expect(dataOf(third.text).eventStatus).toBe('https://schema.org/EventCancelled')
    expect(meta(third.text, 'description')).toContain('This event has been cancelled.')
  })

  it('says that it is sold out, as the event itself does: held places may come back, closed zones do not count', async () => {
    const seats = [{ row: 'A', number: 1 }]
    const { eventId } = await eventOnSale(server, theatre, {
      zones: [
        { name: 'Stalls', zone_type: 'reserved_seating', seats },
        { name: 'Balcony', zone_type: 'reserved_seating', seats },
      ],
    })
    await setPrices(eventId)
    const { zones } = await staff('GET', `/api/events/${eventId}/layout`)
    const isSoldOut = async () => (await staff('GET', `/api/events/${eventId}`)).sold_out
    const availability = async () => {
      later()
      return dataOf((await open(`/${theatre.slug}/events/${eventId}`)).text).offers.availability
    }
    const held = await staff('POST', `/api/events/${eventId}/holds`, {
      seat_ids: [zones[0].seats[0].seat_id],
    })
    const setOverlay = (overrides: object, revision: number) => {
      const headers = { 'if-match': `"${revision}"` }
      return staff('PUT', `/api/admin/events/${eventId}/layout`, { overrides }, headers)
    }
    await setOverlay({ disabled_zones: [zones[1].zone_id] }, 1)
    expect([await isSoldOut(), await availability()]).toEqual([false, 'https://schema.org/InStock'])
    await staff('POST', '/api/admin/orders', {
      event_id: eventId,
      hold_ids: [held.holds[0].hold_id],
      method: 'external',
    })
    expect([await isSoldOut(), await availability()]).toEqual([true, 'https://schema.org/SoldOut'])
    await setOverlay({}, 2)
    expect([await isSoldOut(), await availability()]).toEqual([false, 'https://schema.org/InStock'])
  })

  it('is told to programs that take anything, as those do that show a preview of a link', async () => {
    const path = `/${theatre.slug}`
    const page = await open(path)
    expect(page.text).toContain('property="og:title"')
    for (const headers of [{ accept: '*/*' }, {}] as Record<string, string>[]) {
      const preview = await server.request('GET', path, { headers })
      expect([preview.status, preview.text]).toEqual([200, page.text])
    }
    const json = await server.request('GET', path, { headers: { accept: 'application/json' } })
    expect([json.status, json.body.code]).toEqual([404, 'not_found'])
    const nowhere = await server.request('GET', `${path}/nowhere`, { headers: { accept: '*/*' } })
    expect([nowhere.status, nowhere.body.code]).toEqual([404, 'not_found'])
  })

  it('speaks the language that the reader asks for, else that of the organization', async () => {
    const { eventId } = await eventOnSale(server, theatre)
    const path = `/${theatre.slug}/events/${eventId}`
    const inEnglish = await open(path)
    expect(inEnglish.text).toContain('<html lang="en">')
    const inAfrikaans = await open(path, { 'accept-language': 'de, af-ZA;q=0.9, en;q=0.5' })
    expect(inAfrikaans.text).toContain('<html lang="af">')
    expect(meta(inAfrikaans.text, 'description')).toContain('By Hall.')
    expect(meta(inAfrikaans.text, 'og:locale')).toBe('af_ZA')
    expect(inAfrikaans.text).toContain('<p>Die sitplekke laai tans …</p>')
    expect(inAfrikaans.headers.vary).toContain('accept-language')
    expect(inAfrikaans.headers.etag).not.toBe(inEnglish.headers.etag)
    await staff('PATCH', '/api/admin/organization', { locale: 'af-ZA' })
    server.clock.advance(10_000)
    expect((await open(path)).text).toContain('<html lang="af">')
    expect((await open(path, { 'accept-language': 'en' })).text).toContain('<html lang="en">')
    await staff('PATCH', '/api/admin/organization', { locale: 'en-ZA' })
    server.clock.advance(10_000)
  })

  it('can not be broken out of by the names in it', async () => {
    const { eventId, venueId } = await eventOnSale(server, theatre, undefined, { name: NAME })
    await staff('PATCH', `/api/admin/venues/${venueId}`, { name: NAME, address: HOSTILE })
    const { text } = await open(`/${theatre.slug}/events/${eventId}`)
    expect(text.match(/<script/g)).toHaveLength(1)
    expect(text).not.toContain('alert(1)</script>')
    expect(text).not.toContain('<!-- &')
    expect(dataOf(text).name).toBe(NAME)
    expect(dataOf(text).location.address).toBe(HOSTILE)
    const calendar = await server.request('GET', `/${theatre.slug}/events/${eventId}/calendar.ics`)
    expect(calendar.status).toBe(404)
  })
})

describe('a storefront', () => {
  it('names the organization and what comes next', async () => {
    await eventOnSale(server, other, undefined, { name: 'Later', starts_at: '2099-03-02T17:30:00Z' })
    await eventOnSale(server, other, undefined, { name: 'Sooner', starts_at: '2099-03-01T17:30:00Z' })
    const { text } = await open(`/${other.slug}`)
    expect(text).toContain('<title>Corner Shop</title>')
    expect(meta(text, 'description')).toBe('Events and tickets of Corner Shop. Next: Sooner, Later.')
    expect(dataOf(text)).toMatchObject({ '@type': 'Organization', url: `${ORIGIN}/${other.slug}` })
  })
})

describe('what is not public', () => {
  it('is the same document whether it is a draft, archived, of another organization, or nothing at all', async () => {
    const elsewhere = await eventOnSale(server, other, undefined, { name: 'Elsewhere' })
    const archived = await eventOnSale(server, theatre, undefined, { name: 'Archived' })
    for (const action of ['cancel', 'archive'])
      await staff('POST', `/api/admin/events/${archived.eventId}/${action}`)
    const draft = await staff('POST', '/api/admin/events', {
      name: 'Secret',
      venue_id: archived.venueId,
      layout_id: archived.layoutId,
      starts_at: '2099-03-01T17:30:00Z',
    })
    for (const id of [draft.id, archived.eventId, elsewhere.eventId, randomUUID()]) {
      const answer = await open(`/${theatre.slug}/events/${id}`)
      expect(answer.text).toBe(SHELL)
      expect(answer.status).toBe(200)
      expect(answer.headers['x-robots-tag']).toBe('noindex')
      const calendar = await server.request('GET', `/${theatre.slug}/events/${id}/calendar.ics`)
      expect(calendar.status).toBe(404)
      expect(calendar.body.code).toBe('not_found')
    }
    // A draft that is called off was never public.
    await staff('POST', `/api/admin/events/${draft.id}/cancel`)
    later()
    expect((await open(`/${theatre.slug}/events/${draft.id}`)).text).toBe(SHELL)
  })

  it('is all of a suspended organization', async () => {
    const { eventId } = await eventOnSale(server, other)
    const paths = [`/${other.slug}`, `/${other.slug}/events/${eventId}`]
    for (const path of paths) expect((await open(path)).text).toContain('Corner Shop')
    const closed = await server.request('PATCH', `/api/platform/organizations/${other.id}`, {
      token: ROOT_KEY,
      body: { suspended: true },
    })
    expect(closed.status, closed.text).toBe(200)
    server.clock.advance(10_000)
    for (const path of paths) expect((await open(path)).text).toBe(SHELL)
    server.clock.advance(10 * 60_000)
    expect((await server.request('GET', '/sitemap-1.xml')).text).not.toContain(other.slug)
  })

  it('search engines are asked to leave the pages of one buyer alone', async () => {
    const { eventId } = await eventOnSale(server, theatre)
    for (const path of [
      `events/${eventId}/checkout`,
      `orders/${eventId}`,
      `checkout/${eventId}`,
      'password',
    ]) {
      const answer = await open(`/${theatre.slug}/${path}`)
      expect(`${path} ${answer.headers['x-robots-tag']}`).toBe(`${path} noindex`)
      expect(answer.text).toBe(SHELL)
    }
    const robots = await server.request('GET', '/robots.txt')
    expect(robots.text).toContain('Disallow: /api/')
    expect(robots.text).toContain(`Sitemap: ${ORIGIN}/sitemap.xml`)
  })
})

describe('for robots and calendars', () => {
  it('a sitemap lists storefronts and events on sale, and says when they changed', async () => {
    const { eventId } = await eventOnSale(server, theatre)
    const gone = await eventOnSale(server, theatre)
    await staff('POST', `/api/admin/events/${gone.eventId}/cancel`)
    server.clock.advance(10 * 60_000)
    const index = await server.request('GET', '/sitemap.xml')
    expect(index.headers['content-type']).toContain('application/xml')
    expect(index.text).toContain(`<loc>${ORIGIN}/sitemap-1.xml</loc>`)
    const page = await server.request('GET', '/sitemap-1.xml')
    expect(page.text).toContain(`<loc>${ORIGIN}/${theatre.slug}</loc>`)
    expect(page.text).toMatch(
      new RegExp(`<loc>${ORIGIN}/${theatre.slug}/events/${eventId}</loc><lastmod>20\\d\\d-`),
    )
    expect(page.text).not.toContain(gone.eventId)
    const packed = await server.node.app.fastify.inject({
      url: '/sitemap-1.xml',
      headers: { 'accept-encoding': 'gzip' },
    })
    expect(gunzipSync(packed.rawPayload).toString()).toBe(page.text)
    for (const path of ['/sitemap-2.xml', '/sitemap-0.xml', '/sitemap-x.xml']) {
      expect((await server.request('GET', path)).status).toBe(404)
    }
  })

  it('more than one file has room for come as several', async () => {
    await server.database.sql(
      `insert into organizations (id, slug, name)
       select gen_random_uuid(), 'zz-' || n, 'Z' from generate_series(1, 5000) n`,
    )
    server.clock.advance(10 * 60_000)
    const index = await server.request('GET', '/sitemap.xml')
    expect(index.text.match(/<loc>/g)).toHaveLength(2)
    const pages = await Promise.all([1, 2].map(n => server.request('GET', `/sitemap-${n}.xml`)))
    expect(pages[0]!.text.match(/<url>/g)).toHaveLength(5_000)
    expect(pages[0]!.text).toContain(theatre.slug)
    expect(pages[1]!.text).toContain('/zz-')
    await server.database.sql(`delete from organizations where slug like 'zz-%'`)
  })

  it('an event is an entry for a calendar', async () => {
    const { eventId } = await eventOnSale(server, theatre, undefined, {
      name: 'Hamlet, again',
      starts_at: '2099-03-01T17:30:00Z',
    })
    const path = `/${theatre.slug}/events/${eventId}`
    const answer = await server.request('GET', `${path}/calendar.ics`)
    expect(answer.headers['content-type']).toBe('text/calendar; charset=utf-8')
    const lines = answer.text.replaceAll('\r\n ', '').split('\r\n')
    expect(lines).toContain(`UID:${eventId}-start@voelgoed`)
    expect(lines).toContain('SUMMARY:Hamlet\\, again')
    expect(lines).toContain(`URL:${ORIGIN}${path}`)
    expect(lines).toContain('DTSTART:20990301T173000Z')
    // On sale from the start: there is no opening to wait for.
    expect((await server.request('GET', `${path}/opening.ics`)).status).toBe(404)
  })

  it('so is the moment at which its sale opens, with an alarm before it', async () => {
    const { eventId } = await eventOnSale(server, theatre, undefined, {
      name: 'Hamlet, soon',
      starts_at: '2099-03-01T17:30:00Z',
      sale_start: '2099-01-15T07:00:00Z',
    })
    const path = `/${theatre.slug}/events/${eventId}`
    const answer = await server.request('GET', `${path}/opening.ics`, {
      headers: { 'accept-language': 'af' },
    })
    expect(answer.headers['content-type']).toBe('text/calendar; charset=utf-8')
    const lines = answer.text.replaceAll('\r\n ', '').split('\r\n')
    expect(lines).toContain(`UID:${eventId}-sale@voelgoed`)
    expect(lines).toContain('SUMMARY:Kaartjies te koop: Hamlet\\, soon')
    expect(lines).toContain('DTSTART:20990115T070000Z')
    expect(lines).toContain('TRIGGER:-PT10M')
    expect(lines).toContain(`URL:${ORIGIN}${path}`)
    // An event that does not exist has none.
    const unknown = `/${theatre.slug}/events/0197a000-0000-7000-8000-0000000000ff/opening.ics`
    expect((await server.request('GET', unknown)).status).toBe(404)
  })
})
