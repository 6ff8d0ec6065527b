import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { generateVenue } from '@voelgoed/core/layout/generate'
import { eventOnSale, SMALL_LAYOUT } from '@voelgoed/testing/harness'
import { useServer } from '@voelgoed/testing/use-server'
import { describe, expect, it } from 'vitest'

const { server, ours, organize: send } = useServer()

const get = (url: string, token = ours.tokens.organizer) => server.request('GET', url, { token })

async function newLayout(config: object): Promise<{ venueId: string; layoutId: string }> {
  const venue = await send('POST', '/api/admin/venues', { name: 'Hall' })
  const layout = await send('POST', `/api/admin/venues/${venue.body.data.id}/layouts`, {
    name: 'Hall',
    config,
  })
  expect(layout.status, layout.text).toBe(201)
  return { venueId: venue.body.data.id, layoutId: layout.body.data.layout_id }
}

function mapOf(eventId: string, headers: Record<string, string> = {}) {
  const url = `/api/events/${eventId}/map`
  return server.node.app.fastify.inject({
    url,
    headers: { authorization: `Bearer ${ours.tokens.organizer}`, ...headers },
  })
}

function mapHeader(bytes: Buffer) {
  expect(bytes.subarray(0, 4).toString()).toBe('VGM1')
  return JSON.parse(bytes.subarray(8, 8 + bytes.readUInt32LE(4)).toString())
}

describe('layouts', () => {
  it('a new layout is version 1, a draft, with its capacity counted', async () => {
    const { venueId } = await newLayout(SMALL_LAYOUT)
    const layout = await send('POST', `/api/admin/venues/${venueId}/layouts`, {
      name: 'Hall',
      config: SMALL_LAYOUT,
    })
    expect(layout.body.data).toMatchObject({ version: 1, status: 'draft', total_capacity: 104, warnings: [] })
  })

  it('what is exported can be sent again and is the same layout', async () => {
    const config = generateVenue({ kind: 'theatre', seats: 400 })
    const { layoutId, venueId } = await newLayout(config)
    const first = (await get(`/api/admin/layouts/${layoutId}`)).body.data
    const again = await send('PUT', `/api/admin/layouts/${layoutId}`, { config: first.config })
    expect(again.body.data).toMatchObject({ version: 2, status: 'draft' })
    const second = (await get(`/api/admin/layouts/${layoutId}?version=2`)).body.data
    expect(second.config).toEqual(first.config)
    expect(first).toMatchObject({ venue_id: venueId, seat_count: 400, version: 1 })
  })

  it('aisles and several companion seats come back as they were sent, and buyers see them', async () => {
    const [stalls, pit] = structuredClone(SMALL_LAYOUT).zones
    const at = (x: number) => ({ row: 'A', number: x + 1, coordinates: { x, y: 0 } })
    const seats = [
      { ...at(0), aisle_after: true },
      { ...at(1), category: 'companion' },
      { ...at(2), category: 'wheelchair', companion_seat_labels: ['A-2', 'A-4'], aisle_after: false },
      { ...at(3), category: 'companion' },
    ]
    const seatsOf = (...labels: string[]) => labels.map(label => ({ zone: 'Stalls', label }))
    const config = {
      zones: [{ ...stalls, metadata: { rank: 2, note: 'private' }, seats }, pit],
      seat_groups: [
        { group_type: 'vip_table', seats: seatsOf('A-1') },
        { group_type: 'reserved_block', seats: seatsOf('A-4', 'A-3'), metadata: { sell: 'whole' } },
        { group_type: 'family_block', seats: seatsOf('A-1', 'A-2'), metadata: { note: 'private' } },
      ],
    }
    const { eventId, layoutId } = await eventOnSale(server, ours, config)
    const exported = (await get(`/api/admin/layouts/${layoutId}`)).body.data.config
    expect(exported.zones[0].seats.map(({ seat_id: _, ...seat }: { seat_id: string }) => seat)).toEqual([
      seats[0],
      { ...seats[1], companion_seat_label: 'A-3' },
      seats[2],
      { ...seats[3], companion_seat_label: 'A-3' },
    ])
    const again = await send('PUT', `/api/admin/layouts/${layoutId}`, { config: exported })
    expect(again.status, again.text).toBe(201)
    expect((await get(`/api/admin/layouts/${layoutId}`)).body.data.config).toEqual(exported)

    const layout = (await get(`/api/events/${eventId}/layout`)).body.data
    expect(JSON.stringify(layout)).not.toContain('private')
    expect(layout.zones.map((zone: { rank?: number }) => zone.rank)).toEqual([2, undefined])
    expect(layout.seat_groups).toEqual([
      { group_type: 'reserved_block', sell: 'whole', ordinals: [3, 2] },
      { group_type: 'family_block', ordinals: [0, 1] },
    ])
    const header = mapHeader((await mapOf(eventId)).rawPayload)
    expect(header.zones.map((zone: { rank?: number }) => zone.rank)).toEqual([2, undefined])
    expect(header.columns.slice(-2)).toEqual([2, 8])

    const shown = layout.zones[0].seats
    expect(shown.map((seat: { aisle_after?: boolean }) => seat.aisle_after)).toEqual([
      true,
      undefined,
      false,
      undefined,
    ])
    const ids = shown.map((seat: { seat_id: string }) => seat.seat_id)
    expect(shown.map((seat: { companion_seat_id: string }) => seat.companion_seat_id)).toEqual([
      null,
      ids[2],
      ids[1],
      ids[2],
    ])

    const closed = { overrides: { disabled_zones: [layout.zones[0].zone_id] } }
    await send('PUT', `/api/admin/events/${eventId}/layout`, closed, { 'if-match': '*' })
    expect((await get(`/api/events/${eventId}/layout`)).body.data).not.toHaveProperty('seat_groups')
    expect(mapHeader((await mapOf(eventId)).rawPayload).columns.slice(-2)).toEqual([0, 0])
  })

  it('levels stay from version to version; buyers see them in the layout and on the map', async () => {
    const [stalls, pit] = structuredClone(SMALL_LAYOUT).zones
    const points = [
      { x: 0, y: 0 },
      { x: 9, y: 0 },
    ]
    const config = {
      zones: [
        { ...pit, name: 'Bar' },
        { ...stalls, level: 'Stalls' },
        { ...pit, level: 'Balcony' },
      ],
      outlines: [
        { kind: 'stage', label: null, points },
        { kind: 'shape', label: null, points, level: 'Balcony' },
      ],
    }
    const levels = [undefined, 'Stalls', 'Balcony']
    const levelsIn = (zones: { level?: string }[]) => zones.map(({ level }) => level)
    const { eventId, layoutId } = await eventOnSale(server, ours, config)
    const exported = (await get(`/api/admin/layouts/${layoutId}`)).body.data.config
    expect(levelsIn(exported.zones)).toEqual(levels)
    expect(levelsIn(exported.outlines)).toEqual([undefined, 'Balcony'])
    await send('PUT', `/api/admin/layouts/${layoutId}`, { config: exported })
    const again = (await get(`/api/admin/layouts/${layoutId}?version=2`)).body.data.config
    expect(again).toEqual(exported)
    const seen = (await get(`/api/events/${eventId}/layout`)).body.data
    expect(levelsIn(seen.zones)).toEqual(levels)
    expect(levelsIn(seen.outlines).at(-1)).toBe('Balcony')
    const header = mapHeader((await mapOf(eventId)).rawPayload)
    expect(levelsIn(header.zones)).toEqual(levels)
    expect(levelsIn(header.shapes)).toEqual([undefined, 'Balcony'])
  })

  it('ids stay the same from version to version when they are left out', async () => {
    const { layoutId } = await newLayout(SMALL_LAYOUT)
    const before = (await get(`/api/admin/layouts/${layoutId}`)).body.data.config.zones[0].seats
    const changed = structuredClone(SMALL_LAYOUT)
    changed.zones[0]!.seats!.splice(0, 1)
    changed.zones[0]!.seats![0]!.coordinates = { x: 50, y: 50 }
    changed.zones[0]!.seats!.unshift({ row: 'B', number: 1, coordinates: { x: 9, y: 9 } })
    await send('PUT', `/api/admin/layouts/${layoutId}`, { config: changed })
    const after = (await get(`/api/admin/layouts/${layoutId}`)).body.data.config.zones[0].seats
    expect(after.slice(1).map((seat: { seat_id: string }) => seat.seat_id)).toEqual(
      before.slice(1).map((seat: { seat_id: string }) => seat.seat_id),
    )
  })

  it('every fault at once, with path, code and sentence; nothing is saved', async () => {
    const venue = await send('POST', '/api/admin/venues', { name: 'Hall' })
    const answer = await send('POST', `/api/admin/venues/${venue.body.data.id}/layouts`, {
      name: 'Broken',
      config: {
        zones: [
          { name: 'A', zone_type: 'ga_standing', capacity: 10, seats: [{ row: 'A', number: 1 }] },
          {
            name: 'A',
            zone_type: 'reserved_seating',
            capacity: 5,
            seats: [
              { row: 'A', number: 1 },
              { row: 'A', number: 1 },
            ],
          },
          { name: 'VIP', zone_type: 'vip_standing', capacity: 5, access_mode: 'membership_tier' },
        ],
      },
    })
    expect(answer).toMatchObject({ status: 422, body: { code: 'layout_invalid' } })
    const paths = answer.body.errors.map((error: { path: string }) => error.path)
    expect(paths).toEqual(expect.arrayContaining(['/config/zones/0/seats', '/config/zones/1/name']))
    expect(answer.body.errors.length).toBeGreaterThanOrEqual(5)
    for (const error of answer.body.errors) expect(error.message).toMatch(/\.$/)
    const layouts = await get(`/api/admin/venues/${venue.body.data.id}/layouts`)
    expect(layouts.body.data).toEqual([])
  })

  it('infinity is told by its path', async () => {
    const venue = await send('POST', '/api/admin/venues', { name: 'Hall' })
    const answer = await server.request('POST', `/api/admin/venues/${venue.body.data.id}/layouts`, {
      token: ours.tokens.organizer,
      raw: '{"name":"X","config":{"zones":[{"name":"A","zone_type":"reserved_seating","seats":[{"row":"A","number":1,"coordinates":{"x":1e999,"y":0}}]}]}}',
    })
    expect(answer.status).toBe(422)
    expect(answer.body.errors[0].path).toContain('/config/zones/0/seats/0/coordinates')
  })

  it('imports; what is broken is told with paths into the document', async () => {
    const venue = await send('POST', '/api/admin/venues', { name: 'Hall' })
    const broken = await send('POST', `/api/admin/venues/${venue.body.data.id}/layouts`, {
      name: 'Imported',
      import: { format: 'pretix', document: { name: 'x', zones: [{ rows: [{ seats: [{}] }] }] } },
    })
    expect(broken.status).toBe(422)
    expect(broken.body.errors[0].path).toMatch(/^\/import\/document/)
  })

  it('draft → active → archived, and nothing else', async () => {
    const { layoutId } = await newLayout(SMALL_LAYOUT)
    const act = (verb: string, version = 1) =>
      send('POST', `/api/admin/layouts/${layoutId}/versions/${version}/${verb}`)
    expect((await act('activate')).body.data.status).toBe('active')
    expect(await act('activate')).toMatchObject({
      status: 409,
      body: { code: 'invalid_transition', current_status: 'active', allowed: ['archive'] },
    })
    expect((await act('archive')).body.data.status).toBe('archived')
    expect((await act('activate')).status).toBe(409)
    expect(await act('activate', 9)).toMatchObject({ status: 404, body: { code: 'layout_not_found' } })
  })

  it('two savings at once get two versions', async () => {
    const { layoutId } = await newLayout(SMALL_LAYOUT)
    const saved = await Promise.all(
      Array.from({ length: 4 }, () =>
        send('PUT', `/api/admin/layouts/${layoutId}`, { config: SMALL_LAYOUT }),
      ),
    )
    expect(saved.map(answer => answer.body.data.version).sort()).toEqual([2, 3, 4, 5])
  })
})

describe("an event's layout", () => {
  it('comes with a strong tag, compressed as the client likes, and 304 while nothing changes', async () => {
    const { eventId } = await eventOnSale(server, ours)
    const url = `/api/events/${eventId}/layout`
    const plain = await get(url)
    const inject = (headers: Record<string, string>) =>
      server.node.app.fastify.inject({
        url,
        headers: { authorization: `Bearer ${ours.tokens.organizer}`, ...headers },
      })
    const gzip = await inject({ 'accept-encoding': 'gzip' })
    const brotli = await inject({ 'accept-encoding': 'gzip, br;q=0.9' })
    expect(gunzipSync(gzip.rawPayload).toString()).toBe(plain.text)
    expect(brotliDecompressSync(brotli.rawPayload).toString()).toBe(plain.text)
    const tags = [plain.headers.etag, gzip.headers.etag, brotli.headers.etag]
    expect(new Set(tags).size).toBe(3)
    for (const tag of tags) expect(tag).toMatch(/^"[\w-]+"$/)
    expect(
      (await inject({ 'accept-encoding': 'br', 'if-none-match': String(brotli.headers.etag) })).statusCode,
    ).toBe(304)

    const closed = { overrides: { disabled_zones: [plain.body.data.zones[1].zone_id] } }
    await send('PUT', `/api/admin/events/${eventId}/layout`, closed, { 'if-match': '*' })
    const changed = await inject({ 'accept-encoding': 'br', 'if-none-match': String(brotli.headers.etag) })
    expect(changed.statusCode).toBe(200)
  })

  it('has the overlay applied: zones gone, remapped, priced; ordinals stay', async () => {
    const { venueId, layoutId } = await newLayout({
      zones: [
        {
          name: 'Left',
          zone_type: 'reserved_seating',
          seats: [
            { row: 'A', number: 1 },
            { row: 'A', number: 2 },
          ],
        },
        { name: 'Right', zone_type: 'reserved_seating', seats: [{ row: 'A', number: 1 }] },
        { name: 'Back', zone_type: 'ga_seated', capacity: 50 },
      ],
    })
    await send('POST', `/api/admin/layouts/${layoutId}/versions/1/activate`)
    const zones = (await get(`/api/admin/layouts/${layoutId}`)).body.data.config.zones
    const [left, right, back] = zones.map((zone: { zone_id: string }) => zone.zone_id)
    const event = await send('POST', '/api/admin/events', {
      name: 'E',
      venue_id: venueId,
      layout_id: layoutId,
      overrides: {
        disabled_zones: [back],
        zone_overrides: { [left]: { zone_type: 'ga_standing', capacity: 7, name: 'Standing left' } },
        pricing_zones: { [right]: { pricing_rule_id: 'rule-1' } },
      },
    })
    expect(event.status, event.text).toBe(201)
    const layout = (await get(`/api/events/${event.body.data.id}/layout`)).body.data
    expect(layout.zones).toMatchObject([
      { zone_id: left, name: 'Standing left', zone_type: 'ga_standing', capacity: 7, seats: [] },
      { zone_id: right, pricing_rule_id: 'rule-1', seats: [{ ordinal: 2, label: 'A-1' }] },
    ])
    expect(layout.zones).toHaveLength(2)

    const map = await mapOf(event.body.data.id)
    expect(mapHeader(map.rawPayload).zones).toMatchObject([
      { zone_id: left, name: 'Standing left', capacity: 7, seat_count: 0 },
      { zone_id: right, pricing_rule_id: 'rule-1', first_ordinal: 2, seat_count: 1 },
    ])
  })

  it('comes as a map for screens: tagged, compressed, and the same for all who ask at once', async () => {
    const { eventId } = await eventOnSale(server, ours)
    const answers = await Promise.all(Array.from({ length: 20 }, () => mapOf(eventId)))
    expect(new Set(answers.map(({ headers }) => headers.etag)).size).toBe(1)
    const [plain] = answers
    expect(plain).toMatchObject({ statusCode: 200, headers: { 'content-type': 'application/octet-stream' } })
    const brotli = await mapOf(eventId, { 'accept-encoding': 'br' })
    expect(brotliDecompressSync(brotli.rawPayload).equals(plain!.rawPayload)).toBe(true)
    const again = await mapOf(eventId, { 'if-none-match': String(plain!.headers.etag) })
    expect(again.statusCode).toBe(304)

    const { layout_id, zones } = (await get(`/api/events/${eventId}/layout`)).body.data
    expect(mapHeader(plain!.rawPayload)).toMatchObject({
      layout_id,
      zones: zones.map((zone: { zone_id: string; seats: object[] }) => ({
        zone_id: zone.zone_id,
        seat_count: zone.seats.length,
      })),
    })
  })

  it('is read once for all callers, and companions know each other', async () => {
    const { eventId } = await eventOnSale(server, ours)
    const answers = await Promise.all(Array.from({ length: 20 }, () => get(`/api/events/${eventId}/layout`)))
    expect(new Set(answers.map(answer => answer.text)).size).toBe(1)
    const seats = answers[0]!.body.data.zones[0].seats
    expect(seats[2]).toMatchObject({ category: 'wheelchair', companion_seat_id: seats[3].seat_id })
    expect(seats[3]).toMatchObject({ category: 'companion', companion_seat_id: seats[2].seat_id })
  })
})

describe('events', () => {
  it('live their life in order; every other step is refused with what is possible', async () => {
    const { eventId } = await eventOnSale(server, ours)
    const act = (verb: string) => send('POST', `/api/admin/events/${eventId}/${verb}`)
    expect(await act('publish')).toMatchObject({
      status: 409,
      body: { code: 'invalid_transition', allowed: ['go-live', 'cancel'] },
    })
    expect((await act('complete')).status).toBe(409)
    expect((await act('go-live')).body.data.status).toBe('live')
    expect((await act('complete')).body.data.status).toBe('completed')
    expect((await act('cancel')).status).toBe(409)
    expect((await act('archive')).body.data).toMatchObject({ status: 'archived', allowed_actions: [] })
  })

  it('need an active layout version; without one given, the newest active one is taken', async () => {
    const { venueId, layoutId } = await newLayout(SMALL_LAYOUT)
    const body = { name: 'E', venue_id: venueId, layout_id: layoutId }
    expect(await send('POST', '/api/admin/events', body)).toMatchObject({
      status: 409,
      body: { code: 'invalid_transition', current_status: 'draft', allowed: ['activate', 'archive'] },
    })
    await send('PUT', `/api/admin/layouts/${layoutId}`, { config: SMALL_LAYOUT })
    await send('PUT', `/api/admin/layouts/${layoutId}`, { config: SMALL_LAYOUT })
    await send('POST', `/api/admin/layouts/${layoutId}/versions/1/activate`)
    await send('POST', `/api/admin/layouts/${layoutId}/versions/2/activate`)
    const event = await send('POST', '/api/admin/events', body)
    expect(event.body.data.layout).toEqual({ id: layoutId, version: 2 })
    expect((await send('POST', '/api/admin/events', { ...body, layout_version: 3 })).status).toBe(409)
    expect((await send('POST', '/api/admin/events', { ...body, layout_version: 8 })).status).toBe(404)
  })

  it('a layout of another venue is refused', async () => {
    const first = await newLayout(SMALL_LAYOUT)
    const second = await newLayout(SMALL_LAYOUT)
    await send('POST', `/api/admin/layouts/${second.layoutId}/versions/1/activate`)
    const event = await send('POST', '/api/admin/events', {
      name: 'E',
      venue_id: first.venueId,
      layout_id: second.layoutId,
    })
    expect(event).toMatchObject({ status: 400, body: { errors: [{ path: '/layout_id' }] } })
  })

  it('sale window and days are checked, and come back in UTC with milliseconds', async () => {
    const { eventId } = await eventOnSale(server, ours)
    const patch = (body: object) => send('PATCH', `/api/admin/events/${eventId}`, body)
    const window = await patch({
      sale_start: '2027-01-01T10:00:00+02:00',
      sale_end: '2027-02-01T00:00:00Z',
      days: ['2027-03-02', { date: '2027-03-01', name: 'Opening', starts_at: '2027-03-01T18:00:00Z' }],
    })
    expect(window.body.data).toMatchObject({
      sale_start: '2027-01-01T08:00:00.000Z',
      days: [
        { date: '2027-03-01', name: 'Opening', starts_at: '2027-03-01T18:00:00.000Z' },
        { date: '2027-03-02' },
      ],
    })
    expect((await patch({ sale_end: '2026-12-31T00:00:00Z' })).body.errors[0].path).toBe('/sale_end')
    expect((await patch({ days: ['2027-03-01', '2027-03-01'] })).status).toBe(400)
    expect((await patch({ sale_start: '2027-02-30T00:00:00Z' })).status).toBe(400)
    expect((await patch({ sale_start: null })).body.data.sale_start).toBe(null)
  })

  it('drafts exist for staff only', async () => {
    const { venueId, layoutId } = await eventOnSale(server, ours)
    const draft = await send('POST', '/api/admin/events', {
      name: 'Secret',
      venue_id: venueId,
      layout_id: layoutId,
    })
    const { id } = draft.body.data
    const names = async (as: string) =>
      (await get('/api/events?limit=200', as)).body.data.map((event: { name: string }) => event.name)
    expect(await names(ours.tokens.customer)).not.toContain('Secret')
    expect(await names(ours.tokens.support)).toContain('Secret')
    expect((await get(`/api/events/${id}`, ours.tokens.customer)).status).toBe(404)
    expect((await get(`/api/events/${id}/layout`, ours.tokens.customer)).status).toBe(404)
    expect((await get(`/api/events/${id}`, ours.tokens.scanner)).status).toBe(200)
  })

  it('a draft is not there for buyers, whatever they ask; neither is a draft that was cancelled', async () => {
    const { venueId, layoutId } = await eventOnSale(server, ours)
    const body = { name: 'Secret', venue_id: venueId, layout_id: layoutId }
    const { id } = (await send('POST', '/api/admin/events', body)).body.data
    const { zones } = (await get(`/api/events/${id}/layout`)).body.data
    const seat = zones[0].seats[0].seat_id
    const asBuyer = async () => {
      const ask = (method: string, path: string, body?: object) =>
        server.request(method, `/api/events/${id}${path}`, {
          token: ours.tokens.customer,
          ...(body && { body }),
        })
      const answers = [
        await ask('GET', ''),
        ...(await Promise.all(
          ['/layout', '/map', '/availability', '/occupancy', '/live', `/seats/${seat}`].map(path =>
            ask('GET', path),
          ),
        )),
        await ask('POST', '/live-token'),
        await ask('POST', `/seats/${seat}/reserve`),
        await ask('POST', '/holds', { seat_ids: [seat] }),
      ]
      return new Set(answers.map(answer => `${answer.status} ${answer.body.code}`))
    }
    expect(await asBuyer()).toEqual(new Set(['404 event_not_found']))
    expect((await send('POST', `/api/admin/events/${id}/cancel`)).status).toBe(200)
    expect(await asBuyer()).toEqual(new Set(['404 event_not_found']))
    const listed = await get('/api/events?limit=200', ours.tokens.customer)
    expect(listed.body.data.map((event: { id: string }) => event.id)).not.toContain(id)
  })

  it('an event that is cancelled stays in view, as cancelled, until it is archived', async () => {
    const { eventId } = await eventOnSale(server, ours)
    const listed = async () =>
      (await get('/api/events?limit=200', ours.tokens.customer)).body.data.find(
        (event: { id: string }) => event.id === eventId,
      )?.status
    expect(await listed()).toBe('published')
    await send('POST', `/api/admin/events/${eventId}/cancel`)
    expect(await listed()).toBe('cancelled')
    expect((await get(`/api/events/${eventId}`, ours.tokens.customer)).body.data.status).toBe('cancelled')
    await send('POST', `/api/admin/events/${eventId}/archive`)
    expect(await listed()).toBe(undefined)
    expect((await get(`/api/events/${eventId}`, ours.tokens.customer)).status).toBe(404)
  })
})

describe('the freeze rule', () => {
  it('on sale: venue and layout version stay; a draft may still move', async () => {
    const { eventId, layoutId, venueId } = await eventOnSale(server, ours)
    await send('PUT', `/api/admin/layouts/${layoutId}`, { config: SMALL_LAYOUT })
    await send('POST', `/api/admin/layouts/${layoutId}/versions/2/activate`)
    const frozen = await send('PATCH', `/api/admin/events/${eventId}`, { layout_version: 2 })
    expect(frozen).toMatchObject({ status: 409, body: { code: 'layout_frozen' } })
    const draft = await send('POST', '/api/admin/events', {
      name: 'D',
      venue_id: venueId,
      layout_id: layoutId,
      layout_version: 1,
    })
    const moved = await send('PATCH', `/api/admin/events/${draft.body.data.id}`, { layout_version: 2 })
    expect(moved.body.data.layout.version).toBe(2)
  })

  it('a version that an open event uses can not be archived', async () => {
    const { eventId, layoutId } = await eventOnSale(server, ours)
    const archive = () => send('POST', `/api/admin/layouts/${layoutId}/versions/1/archive`)
    expect(await archive()).toMatchObject({ status: 409, body: { code: 'layout_in_use' } })
    await send('POST', `/api/admin/events/${eventId}/cancel`)
    expect((await archive()).status).toBe(200)
  })

  it('the overlay: type and shrinking are refused; blocking, closing, access, pricing and growth are not', async () => {
    const { eventId } = await eventOnSale(server, ours)
    const layout = (await get(`/api/events/${eventId}/layout`)).body.data
    const [stalls, pit] = layout.zones
    const put = (overrides: object) =>
      send('PUT', `/api/admin/events/${eventId}/layout`, { overrides }, { 'if-match': '*' })
    expect(await put({ zone_overrides: { [stalls.zone_id]: { zone_type: 'ga_standing' } } })).toMatchObject({
      status: 409,
      body: { code: 'layout_frozen', reason: expect.stringContaining('Stalls') },
    })
    expect((await put({ zone_overrides: { [pit.zone_id]: { capacity: 99 } } })).status).toBe(409)
    const allowed = await put({
      blocked_seat_ids: [stalls.seats[0].seat_id],
      disabled_zones: [],
      zone_overrides: {
        [pit.zone_id]: { capacity: 150, access_mode: 'role_based', allowed_roles: ['scanner'] },
      },
      pricing_zones: { [stalls.zone_id]: { pricing_rule_id: 'r' } },
    })
    expect(allowed.status, allowed.text).toBe(200)
    expect((await put({ zone_overrides: { [pit.zone_id]: { capacity: 120 } } })).status).toBe(409)
  })

  it('an overlay with faults is refused whole, with every path', async () => {
    const { eventId } = await eventOnSale(server, ours)
    const layout = (await get(`/api/events/${eventId}/layout`)).body.data
    const nowhere = '01970000-0000-7000-8000-000000000000'
    const faulty = {
      overrides: {
        blocked_seat_ids: [nowhere],
        disabled_zones: [nowhere],
        zone_overrides: { [layout.zones[1].zone_id]: { access_mode: 'membership_tier' } },
        pricing_zones: { [nowhere]: { pricing_rule_id: 'r' } },
      },
    }
    const answer = await send('PUT', `/api/admin/events/${eventId}/layout`, faulty, { 'if-match': '*' })
    expect(answer.status).toBe(422)
    expect(answer.body.errors.map((error: { code: string }) => error.code).sort()).toEqual([
      'membership_tier_missing',
      'unknown_seat',
      'unknown_zone',
      'unknown_zone',
    ])
  })

  it('changes nothing of an event that is over', async () => {
    const { eventId } = await eventOnSale(server, ours)
    await send('POST', `/api/admin/events/${eventId}/cancel`)
    expect(await send('PATCH', `/api/admin/events/${eventId}`, { name: 'X' })).toMatchObject({
      status: 409,
      body: { code: 'invalid_transition' },
    })
  })
})

describe('the seating policy', () => {
  it('has the defaults of the spec; PUT takes the whole, left out means default', async () => {
    const org = await server.organization()
    const as = { token: org.tokens.admin }
    const policy = (await server.request('GET', '/api/admin/policy', as)).body.data
    expect(policy).toMatchObject({
      default_hold_ttl_seconds: 600,
      max_seats_per_booking: 10,
      holds_per_window: 60,
    })
    await server.request('PUT', '/api/admin/policy', { ...as, body: { max_seats_per_booking: null } })
    const put = await server.request('PUT', '/api/admin/policy', {
      ...as,
      body: { default_hold_ttl_seconds: 300 },
    })
    expect(put.body.data).toEqual({ ...policy, default_hold_ttl_seconds: 300 })
    for (const seconds of [0, 7201]) {
      const bad = await server.request('PUT', '/api/admin/policy', {
        ...as,
        body: { default_hold_ttl_seconds: seconds },
      })
      expect(bad.body.errors[0].path).toBe('/default_hold_ttl_seconds')
    }
  })

  it('lock beats override, override beats policy', async () => {
    const org = await server.organization()
    const as = { token: org.tokens.admin }
    const { eventId } = await eventOnSale(server, org)
    const ttl = async () =>
      (await server.request('GET', `/api/events/${eventId}`, as)).body.data.hold_ttl_seconds
    const policy = (body: object) => server.request('PUT', '/api/admin/policy', { ...as, body })
    await policy({ default_hold_ttl_seconds: 100 })
    expect(await ttl()).toBe(100)
    const override = (seconds: number) =>
      server.request('PATCH', `/api/admin/events/${eventId}`, {
        ...as,
        body: { seating_overrides: { default_hold_ttl_seconds: seconds } },
      })
    expect((await override(50)).status).toBe(200)
    expect(await ttl()).toBe(50)
    await policy({ default_hold_ttl_seconds: 100, locked_fields: ['default_hold_ttl_seconds'] })
    expect(await ttl()).toBe(100)
    expect(await override(60)).toMatchObject({
      status: 400,
      body: { errors: [{ path: '/seating_overrides/default_hold_ttl_seconds' }] },
    })
  })

  it('decides what may be sold: VIP zones need allow_vip_zones, from the policy or the event', async () => {
    const { venueId, layoutId } = await newLayout({
      zones: [
        {
          name: 'Lounge',
          zone_type: 'vip_standing',
          capacity: 5,
          access_mode: 'membership_tier',
          membership_tier: 'gold',
        },
      ],
    })
    await send('POST', `/api/admin/layouts/${layoutId}/versions/1/activate`)
    const create = (fields: object) =>
      send('POST', '/api/admin/events', { name: 'E', venue_id: venueId, layout_id: layoutId, ...fields })
    const refused = {
      status: 422,
      body: { code: 'layout_invalid', errors: [{ code: 'allow_vip_zones_off' }] },
    }
    expect(await create({})).toMatchObject(refused)
    const event = (await create({ seating_overrides: { allow_vip_zones: true } })).body.data
    await send('PATCH', `/api/admin/events/${event.id}`, { seating_overrides: {} })
    expect(await send('POST', `/api/admin/events/${event.id}/publish`)).toMatchObject(refused)
    await send('PATCH', `/api/admin/events/${event.id}`, { seating_overrides: { allow_vip_zones: true } })
    expect((await send('POST', `/api/admin/events/${event.id}/publish`)).status).toBe(200)
  })
})

describe('idempotency keys', () => {
  it('the same key and body: the same venue, once, also when sent at the same moment', async () => {
    const headers = { 'idempotency-key': 'venue-1' }
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => send('POST', '/api/admin/venues', { name: 'Once' }, headers)),
    )
    expect(new Set(answers.map(answer => answer.body.data.id)).size).toBe(1)
    const venues = (await get('/api/admin/venues?limit=200')).body.data
    expect(venues.filter((venue: { name: string }) => venue.name === 'Once')).toHaveLength(1)
  })

  it('another body: refused. Another user, or a day later: another venue', async () => {
    const headers = { 'idempotency-key': 'venue-2' }
    const first = await send('POST', '/api/admin/venues', { name: 'First' }, headers)
    expect((await send('POST', '/api/admin/venues', { name: 'Second' }, headers)).body.code).toBe(
      'idempotency_key_reused',
    )
    const other = await server.request('POST', '/api/admin/venues', {
      token: ours.tokens.admin,
      body: { name: 'First' },
      headers,
    })
    expect(other.body.data.id).not.toBe(first.body.data.id)
    await server.database.sql(`update idempotency_keys set created_at = now() - interval '25 hours'`)
    expect((await send('POST', '/api/admin/venues', { name: 'Second' }, headers)).status).toBe(201)
  })

  it('a refusal is not remembered: the same key works once the cause is gone', async () => {
    const { venueId, layoutId } = await newLayout(SMALL_LAYOUT)
    const headers = { 'idempotency-key': 'event-1' }
    const create = () =>
      send('POST', '/api/admin/events', { name: 'E', venue_id: venueId, layout_id: layoutId }, headers)
    expect((await create()).status).toBe(409)
    await send('POST', `/api/admin/layouts/${layoutId}/versions/1/activate`)
    expect((await create()).status).toBe(201)
  })
})

it('every change of an administrator is in the audit log, with what changed', async () => {
  const org = await server.organization()
  const { eventId } = await eventOnSale(server, org)
  await server.request('PATCH', `/api/admin/events/${eventId}`, {
    token: org.tokens.organizer,
    body: { name: 'Renamed' },
  })
  const log = await server.request('GET', `/api/admin/audit?entity_id=${eventId}`, {
    token: org.tokens.admin,
  })
  expect(log.body.data.map((entry: { action: string }) => entry.action)).toEqual([
    'event_updated',
    'event_published',
    'event_created',
  ])
  expect(log.body.data[0]).toMatchObject({
    actor: 'user',
    entity_type: 'event',
    changes: { name: { before: 'Play', after: 'Renamed' } },
  })
  const all = await server.request('GET', '/api/admin/audit?limit=200', { token: org.tokens.admin })
  const actions = new Set(all.body.data.map((entry: { action: string }) => entry.action))
  for (const action of [
    'venue_created',
    'layout_created',
    'layout_activated',
    'session_started',
    'user_created',
  ]) {
    expect(actions).toContain(action)
  }
})
