import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { IMAGE_BYTES, UPLOAD_BYTES, UPLOADS } from '@voelgoed/contract/images'
import {
  eventOnSale,
  startTestServer,
  type TestOrganization,
  type TestServer,
} from '@voelgoed/testing/harness'
import { pino } from 'pino'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Sweeper } from '../operations/sweep.ts'

const FRESH_MS = 60_000

let server: TestServer
let ours: TestOrganization
let theirs: TestOrganization
let eventId: string

beforeAll(async () => {
  server = await startTestServer()
  ours = await server.organization('Ours')
  theirs = await server.organization('Theirs')
  eventId = (await eventOnSale(server, ours)).eventId
})
afterAll(() => server.close())

const LOGO = '/api/admin/organization/logo'
const COVER = '/api/admin/organization/cover'
const image = () => `/api/admin/events/${eventId}/image`

const plain = (width: number, height: number, background = '#336699') =>
  sharp({ create: { width, height, channels: 3, background } })

const put = (url: string, raw: Buffer, type = 'image/png', token = ours.tokens.organizer) =>
  server.request('PUT', url, { token, raw, headers: { 'content-type': type } })

const get = (url: string, headers = {}) => server.request('GET', url, { headers })

/** The bytes as they go over the wire. */
const fetchBytes = async (url: string) =>
  (await server.node.app.fastify.inject({ method: 'GET', url })).rawPayload

const readEvent = async () =>
  (await server.request('GET', `/api/events/${eventId}`, { token: ours.tokens.customer })).body.data

const countFiles = async () => {
  const [row] = await server.database.sql<{ count: number }>(
    'select count(*)::int as count from image_files where organization_id = $1',
    [ours.id],
  )
  return row!.count
}

describe('an image of an event', () => {
  it.each(['png', 'jpeg', 'webp', 'avif'] as const)(
    'is taken as %s, whatever its header says',
    async format => {
      const bytes = await plain(2000, 1000).toFormat(format, { effort: 1 }).toBuffer()
      const answer = await put(image(), bytes, 'image/jpeg')
      expect(answer.status, answer.text).toBe(200)
      expect(answer.body.data).toMatchObject({ width: 1600, height: 800, plain: { type: 'image/jpeg' } })
      expect(answer.body.data.sources.map((source: { width: number }) => source.width)).toEqual([
        480, 960, 1600,
      ])
      expect((await readEvent()).image).toEqual(answer.body.data)
      expect((await readEvent()).image_url).toBe(answer.body.data.plain.url)
    },
  )

  it('is served to everyone as what it is, for a year', async () => {
    const { body } = await put(image(), await plain(800, 500).png().toBuffer())
    const { sources, plain: jpeg } = body.data
    expect(sources.map((source: { width: number }) => source.width)).toEqual([480, 800])
    const answer = await get(sources[0].url)
    expect(answer.status).toBe(200)
    expect(answer.headers).toMatchObject({
      'content-type': 'image/webp',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    })
    const etag = String(answer.headers.etag)
    expect((await get(sources[0].url, { 'if-none-match': etag })).status).toBe(304)
    expect((await get(sources[0].url, { 'if-none-match': '"other"' })).status).toBe(200)
    expect((await get(jpeg.url)).headers['content-type']).toBe('image/jpeg')
    const { width, height, format } = await sharp(await fetchBytes(sources[0].url)).metadata()
    expect({ width, height, format }).toEqual({ width: 480, height: 300, format: 'webp' })
  })

  it('loses where and with what it was taken, and stands upright', async () => {
    const exif = { IFD0: { Make: 'Kamera' }, IFD3: { GPSLatitude: '33/1 55/1 0/1' } }
    const upload = await plain(600, 300)
      .withMetadata({ orientation: 6 })
      .withExifMerge(exif)
      .jpeg()
      .toBuffer()
    expect((await sharp(upload).metadata()).exif).toBeDefined()
    const { body } = await put(image(), upload, 'image/jpeg')
    expect(body.data).toMatchObject({ width: 300, height: 600 })
    for (const { url } of [...body.data.sources, body.data.plain]) {
      const bytes = await fetchBytes(url)
      const { exif: left, xmp, icc } = await sharp(bytes).metadata()
      expect({ left, xmp, icc }).toEqual({})
      expect(bytes.includes('Kamera')).toBe(false)
    }
  })

  it('says the colour of the ground on which it appears', async () => {
    const { body } = await put(image(), await plain(100, 100, '#7b3fa0').png().toBuffer())
    expect(body.data.colour).toBe('#7b3fa0')
  })

  it('takes the place of the one before, which is gone from the database and from its address', async () => {
    const first = await put(image(), await plain(500, 300, '#111111').png().toBuffer())
    const { url } = first.body.data.sources[0]
    expect((await get(url)).status).toBe(200)
    const files = await countFiles()
    const second = await put(image(), await plain(500, 300, '#eeeeee').png().toBuffer())
    expect(second.body.data.sources[0].url).not.toBe(url)
    expect(await countFiles()).toBe(files)
    server.clock.advance(FRESH_MS)
    expect((await get(url)).status).toBe(404)
    expect((await get(second.body.data.sources[0].url)).status).toBe(200)
  })

  it('can be deleted, twice as well', async () => {
    const { body } = await put(image(), await plain(500, 300).png().toBuffer())
    for (const _ of [1, 2]) {
      const gone = await server.request('DELETE', image(), { token: ours.tokens.organizer })
      expect(gone.status).toBe(204)
    }
    expect((await readEvent()).image).toBeNull()
    expect((await get(body.data.plain.url)).status).toBe(404)
    expect(await countFiles()).toBe(0)
  })

  it('stays as it is when the event is over', async () => {
    const over = await eventOnSale(server, ours)
    for (const action of ['go-live', 'complete'])
      await server.request('POST', `/api/admin/events/${over.eventId}/${action}`, {
        token: ours.tokens.admin,
      })
    const answer = await put(`/api/admin/events/${over.eventId}/image`, await plain(10, 10).png().toBuffer())
    expect(answer.body).toMatchObject({ status: 409, code: 'invalid_transition' })
  })
})

describe('what is no image', () => {
  const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>'

  it.each([
    ['SVG that says it is PNG', Buffer.from(SVG)],
    ['GIF', Buffer.from('GIF89a\x01\x00\x01\x00', 'latin1')],
    ['a page', Buffer.from('<!doctype html><title>x</title>')],
    ['noise', randomBytes(5_000)],
  ])('is refused by its content: %s', async (_what, bytes) => {
    const answer = await put(image(), bytes)
    expect(answer.body).toMatchObject({ status: 422, code: 'image_invalid', reason: 'not_an_image' })
  })

  it.each(['image/svg+xml', 'application/json', 'text/html'])('is refused by its header: %s', async type => {
    const answer = await put(image(), Buffer.from(SVG), type)
    expect(answer.body).toMatchObject({ status: 415, code: 'unsupported_media_type' })
  })

  it('is refused when it begins well and ends early', async () => {
    const bytes = await plain(900, 900).jpeg().toBuffer()
    const answer = await put(image(), bytes.subarray(0, 400), 'image/jpeg')
    expect(answer.body).toMatchObject({ status: 422, code: 'image_invalid', reason: 'damaged' })
  })

  it('is refused when there is nothing', async () => {
    expect((await put(image(), Buffer.alloc(0))).body).toMatchObject({ status: 400, code: 'invalid_request' })
  })

  it('can not be sent to a route that takes JSON', async () => {
    const bytes = await plain(10, 10).png().toBuffer()
    const answer = await server.request('POST', '/api/admin/venues', {
      token: ours.tokens.admin,
      raw: bytes,
      headers: { 'content-type': 'image/png' },
    })
    expect(answer.status).toBe(415)
  })
})

describe('what is too large', () => {
  it('is refused by its bytes', async () => {
    const answer = await put(image(), Buffer.alloc(IMAGE_BYTES + 1))
    expect(answer.body).toMatchObject({ status: 413, limit_bytes: IMAGE_BYTES })
  })

  it('is refused by its pixels before they are decoded, however few bytes they take', async () => {
    // Its head says 16,000 by 16,000. To decode it would fail, because only one pixel follows.
    const bomb = await plain(1, 1).png().toBuffer()
    for (const at of [16, 20]) bomb.writeUInt32BE(16_000, at)
    bomb.writeUInt32BE(crc32(bomb.subarray(12, 29)), 29)
    const answer = await put(image(), bomb)
    expect(answer.body).toMatchObject({ status: 422, reason: 'too_many_pixels' })
  })

  it('is refused when one side is', async () => {
    const long = await plain(20_001, 2).png().toBuffer()
    expect((await put(image(), long)).body).toMatchObject({ status: 422, reason: 'too_many_pixels' })
  })
})

describe('a brand', () => {
  it('has a colour, a logo and a cover, which buyers read', async () => {
    const set = await server.request('PATCH', '/api/admin/organization', {
      token: ours.tokens.organizer,
      body: { colour: '#7B3FA0' },
    })
    expect(set.body.data).toMatchObject({ colour: '#7b3fa0', logo: null, cover: null })
    const create = {
      width: 300,
      height: 100,
      channels: 4 as const,
      background: { r: 0, g: 0, b: 0, alpha: 0 },
    }
    const logo = await put(LOGO, await sharp({ create }).png().toBuffer())
    expect(logo.body.data).toMatchObject({ width: 256, plain: { type: 'image/png' } })
    expect((await sharp(await fetchBytes(logo.body.data.sources[0].url)).metadata()).hasAlpha).toBe(true)
    const cover = await put(COVER, await plain(1000, 400).webp().toBuffer(), 'image/webp')
    const read = await server.request('GET', '/api/organization', { token: ours.tokens.customer })
    expect(read.body.data).toEqual({
      slug: ours.slug,
      name: 'Ours',
      colour: '#7b3fa0',
      logo: logo.body.data,
      cover: cover.body.data,
    })
    const settings = await server.request('GET', '/api/admin/organization', { token: ours.tokens.support })
    // The server of these tests has no mail server.
    const expected = { colour: '#7b3fa0', cover: cover.body.data, sends_mails: false }
    expect(settings.body.data).toMatchObject(expected)
    expect((await server.request('DELETE', LOGO, { token: ours.tokens.admin })).status).toBe(204)
    const none = { token: ours.tokens.admin, body: { colour: null } }
    const reset = await server.request('PATCH', '/api/admin/organization', none)
    expect(reset.body.data).toMatchObject({ colour: null, logo: null, cover: cover.body.data })
  })

  it.each(['red', '#12345', '#1234567', 'url(x)'])('has no colour %s', async colour => {
    const answer = await server.request('PATCH', '/api/admin/organization', {
      token: ours.tokens.admin,
      body: { colour },
    })
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0].path).toBe('/colour')
  })
})

describe('who may', () => {
  it.each(['customer', 'scanner', 'support'] as const)('not %s', async role => {
    const bytes = await plain(10, 10).png().toBuffer()
    for (const url of [LOGO, COVER, image()]) {
      expect((await put(url, bytes, 'image/png', ours.tokens[role])).status).toBe(403)
      expect((await server.request('DELETE', url, { token: ours.tokens[role] })).status).toBe(403)
    }
  })

  it('not another organization, which neither sees it under its own name', async () => {
    const bytes = await plain(10, 10).png().toBuffer()
    expect((await put(image(), bytes, 'image/png', theirs.tokens.admin)).status).toBe(404)
    const { body } = await put(image(), bytes)
    const { url } = body.data.sources[0]
    expect((await get(url)).status).toBe(200)
    expect((await get(url.replace(ours.slug, theirs.slug))).status).toBe(404)
    expect((await get(url.replace(ours.slug, 'no-such-house'))).status).toBe(404)
    expect((await get(url.replace('.webp', '.svg'))).status).toBe(404)
  })

  it('is written down', async () => {
    await put(LOGO, await plain(10, 10).png().toBuffer())
    await server.request('DELETE', LOGO, { token: ours.tokens.organizer })
    const audit = await server.request('GET', '/api/admin/audit?limit=2', { token: ours.tokens.admin })
    expect(audit.body.data.map((entry: { action: string }) => entry.action)).toEqual([
      'image_deleted',
      'image_set',
    ])
    expect(audit.body.data[1]).toMatchObject({
      entity_type: 'organization',
      changes: { kind: 'logo', width: 10 },
    })
    const metrics = await server.request('GET', '/metrics')
    expect(metrics.text).toMatch(/voelgoed_image_seconds_count\{outcome="made"[^}]*\} [1-9]/)
    expect(metrics.text).toMatch(/voelgoed_image_reads_total\{from="postgres"[^}]*\} [1-9]/)
  })
})

describe('an upload without a place', () => {
  const post = (raw: Buffer, options: { token?: string; key?: string; type?: string } = {}) =>
    server.request('POST', '/api/admin/images', {
      token: options.token ?? ours.tokens.organizer,
      raw,
      headers: {
        'content-type': options.type ?? 'image/png',
        ...(options.key && { 'idempotency-key': options.key }),
      },
    })
  const readImage = (id: string, token = ours.tokens.customer, headers = {}) =>
    server.request('GET', `/api/images/${id}`, { token, headers })
  const patchEvent = (body: object, id = eventId, token = ours.tokens.organizer) =>
    server.request('PATCH', `/api/admin/events/${id}`, { token, body })
  const patchBrand = (brand: object) =>
    server.request('PATCH', '/api/admin/organization', { token: ours.tokens.admin, body: { brand } })
  const sweepTomorrow = async () => {
    await server.database.sql(
      `update images set created_at = created_at - interval '25 hours' where organization_id = $1`,
      [ours.id],
    )
    const sweeper = new Sweeper({
      sweeps: server.node.sweeps,
      log: pino({ level: 'silent' }),
      onRun: () => {},
    })
    expect((await sweeper.sweep()).failed).toEqual([])
  }
  const picture = (background: string) => plain(2000, 1000, background).png().toBuffer()

  it('has an id and an address, and every session of the organization reads it', async () => {
    const answer = await post(await picture('#102030'))
    expect(answer.status, answer.text).toBe(201)
    const { image_id, url, plain: jpeg } = answer.body.data
    expect(url).toBe(jpeg.url)
    expect((await get(url)).headers['content-type']).toBe('image/jpeg')
    const read = await readImage(image_id)
    expect(read.status).toBe(200)
    expect(read.headers).toMatchObject({
      'content-type': 'image/jpeg',
      'cache-control': 'private, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; sandbox",
    })
    const known = { 'if-none-match': String(read.headers.etag) }
    expect((await readImage(image_id, ours.tokens.customer, known)).status).toBe(304)
    expect((await get(`/api/images/${image_id}`)).status).toBe(401)
    expect((await readImage(image_id, theirs.tokens.admin)).body).toMatchObject({
      status: 404,
      code: 'image_not_found',
    })
  })

  it('becomes the image of events that name it, each with a copy of its own', async () => {
    const { image_id } = (await post(await picture('#203040'))).body.data
    const made = await eventOnSale(server, ours, undefined, { image_id })
    const named = await patchEvent({ image_id: image_id.toUpperCase() })
    expect(named.body.data).toMatchObject({
      image_id,
      image: { image_id, width: 1600, height: 800, plain: { type: 'image/jpeg' } },
    })
    expect(named.body.data.image.sources.map((source: { width: number }) => source.width)).toEqual([
      480, 960, 1600,
    ])
    expect((await readEvent()).image_url).toBe(named.body.data.image.plain.url)
    await sweepTomorrow()
    expect((await readImage(image_id)).status).toBe(200)
    expect((await patchEvent({ image_id: null })).body.data).toMatchObject({ image_id: null, image: null })
    expect((await readImage(image_id)).status).toBe(200)
    await patchEvent({ image_id }, made.eventId)
    expect((await patchEvent({ image_id })).body.data.image_id).toBe(image_id)
    for (const id of [made.eventId, eventId]) await patchEvent({ image_id: null }, id)
    expect((await readImage(image_id)).status).toBe(404)
    const refused = await patchEvent({ image_id, name: 'Other' })
    expect(refused.body).toMatchObject({ status: 404, code: 'image_not_found' })
    expect((await readEvent()).name).not.toBe('Other')
  })

  it('becomes logo and cover in their own sizes', async () => {
    const { image_id } = (await post(await picture('#304050'))).body.data
    const brand = { colour: '#7B3FA0', logo_image_id: image_id, cover_image_id: image_id }
    const { data } = (await patchBrand(brand)).body
    expect(data.brand).toEqual({ ...brand, colour: '#7b3fa0' })
    expect(data.logo).toMatchObject({ width: 256, height: 128, plain: { type: 'image/png' } })
    expect(data.cover).toMatchObject({ width: 1600, height: 800, plain: { type: 'image/jpeg' } })
    for (const { url } of [...data.logo.sources, ...data.cover.sources, data.logo.plain, data.cover.plain])
      expect((await get(url)).status).toBe(200)
    const gone = await patchBrand({ logo_image_id: null })
    expect(gone.body.data).toMatchObject({ logo: null, brand: { logo_image_id: null }, cover: { image_id } })
    const both = { brand: { colour: null }, colour: '#000000' }
    const refused = await server.request('PATCH', '/api/admin/organization', {
      token: ours.tokens.admin,
      body: both,
    })
    expect(refused.body.errors).toEqual([expect.objectContaining({ path: '/brand/colour' })])
    await patchBrand({ colour: null, cover_image_id: null })
  })

  it('may be an image that was set at its place before, of any kind', async () => {
    const logo = (await put(LOGO, await plain(300, 100).png().toBuffer())).body.data
    const named = (await patchEvent({ image_id: logo.image_id })).body.data.image
    expect(named).toMatchObject({ image_id: logo.image_id, plain: { type: 'image/png' } })
    for (const { url } of [...named.sources, named.plain]) expect((await get(url)).status).toBe(200)
    await server.request('DELETE', LOGO, { token: ours.tokens.admin })
    expect((await get(named.plain.url)).status).toBe(200)
    await patchEvent({ image_id: null })
  })

  it('is gone after a day when nothing names it', async () => {
    const kept = (await post(await picture('#405060'))).body.data.image_id
    await sweepTomorrow()
    expect((await readImage(kept)).status).toBe(404)
    expect(await countFiles()).toBe(0)
  })

  it('is stored once for one key', async () => {
    const bytes = await picture('#506070')
    const first = await post(bytes, { key: 'upload-1' })
    const again = await post(bytes, { key: 'upload-1' })
    expect(again.body).toEqual(first.body)
    expect(again.headers['idempotency-replayed']).toBe('true')
    expect((await post(await picture('#607080'), { key: 'upload-1' })).status).toBe(422)
  })

  it('is bounded in bytes and in number, and refused by its content', async () => {
    expect((await post(Buffer.alloc(UPLOAD_BYTES + 1))).body).toMatchObject({
      status: 413,
      limit_bytes: UPLOAD_BYTES,
    })
    expect((await post(Buffer.from('<svg/>'))).body).toMatchObject({ status: 422, code: 'image_invalid' })
    const bytes = await plain(10, 10).png().toBuffer()
    await post(bytes)
    await server.database.sql(
      `insert into images (organization_id, id, kind, hash, width, height, colour, widths)
       select organization_id, gen_random_uuid(), 'upload', hash, width, height, colour, widths
       from (select * from images where organization_id = $1 and kind = 'upload' limit 1) one,
         generate_series(1, $2 - (select count(*) from images where organization_id = $1 and kind = 'upload'))`,
      [ours.id, UPLOADS],
    )
    expect((await post(bytes)).body).toMatchObject({ status: 422, code: 'quota_exceeded', limit: UPLOADS })
    expect((await post(bytes, { token: theirs.tokens.organizer })).status).toBe(201)
    await sweepTomorrow()
    expect((await post(bytes)).status).toBe(201)
  })

  it('is for organizers and admins', async () => {
    const bytes = await plain(10, 10).png().toBuffer()
    for (const role of ['customer', 'scanner', 'support'] as const)
      expect((await post(bytes, { token: ours.tokens[role] })).status).toBe(403)
  })
})

describe('an event', () => {
  it('has a description and doors, in single answers; lists are without descriptions', async () => {
    const fields = {
      description: 'First.\n\nSecond.',
      doors_at: '2099-03-01T16:30:00.000Z',
      starts_at: '2099-03-01T17:30:00.000Z',
    }
    const made = await eventOnSale(server, ours, undefined, fields)
    const url = `/api/admin/events/${made.eventId}`
    const token = ours.tokens.organizer
    const patched = await server.request('PATCH', url, { token, body: { description: 'Third.' } })
    expect(patched.body.data).toMatchObject({ ...fields, description: 'Third.' })
    const buyer = { token: ours.tokens.customer }
    const read = await server.request('GET', `/api/events/${made.eventId}`, buyer)
    expect(read.body.data).toMatchObject({ ...fields, description: 'Third.' })
    const list = await server.request('GET', '/api/events', buyer)
    const listed = list.body.data.find((event: { id: string }) => event.id === made.eventId)
    expect(listed.doors_at).toBe(fields.doors_at)
    expect(listed).not.toHaveProperty('description')

    const late = { doors_at: '2099-03-01T18:00:00Z' }
    const refused = await server.request('PATCH', url, { token, body: late })
    expect(refused.body).toMatchObject({ status: 400, errors: [{ path: '/doors_at' }] })
    const long = await server.request('PATCH', url, { token, body: { description: 'x'.repeat(5_001) } })
    expect(long.status).toBe(400)
    const none = { description: null, doors_at: null }
    expect((await server.request('PATCH', url, { token, body: none })).body.data).toMatchObject(none)
  })
})
