/**
 * A buyer without an account: finds an event, watches its seats, holds two of them, gives them back.
 *
 *   node scripts/run.mjs two-seats http://127.0.0.1:3000 voelgoed
 */
import { createClient, Refused } from '@voelgoed/client'

const [baseUrl = 'http://127.0.0.1:3000', organization = 'voelgoed'] = process.argv.slice(2)

const visitor = createClient({ baseUrl })
const session = await visitor.call('POST /api/sessions/guest', { body: { organization } })
const client = createClient({ baseUrl, token: session.data.token })

const events = await client.call('GET /api/events')
const event = events.data[0]
if (!event) throw new Error(`${organization} has nothing on sale`)
console.log(`${event.name}, ${event.venue.name}`)

// Snapshot first, then every change, also over lost connections.
const following = client.follow(event.id, {
  onSnapshot: ({ seq, statuses }) => console.log(`at seq ${seq}, ${statuses.length} bytes of seats`),
  onChanges: ({ seats, occupancy }) => {
    for (const [ordinal, status] of seats) console.log(`seat ${ordinal} is ${status}`)
    console.log(`${occupancy.available} of ${occupancy.total} free`)
  },
  onState: state => console.log(`the feed is ${state}`),
})

const params = { event: event.id }
const layout = await client.call('GET /api/events/:event/layout', { params })
const availability = await client.call('GET /api/events/:event/availability', { params })
const taken = new Set(availability.data.seats.map(seat => seat.seat_id))
const free = layout.data.zones
  .filter(zone => zone.access_mode === 'public')
  .flatMap(zone => zone.seats)
  .filter(seat => seat.category === 'standard' && !taken.has(seat.seat_id))
  .slice(0, 2)
  .map(seat => seat.seat_id)

try {
  const held = await client.call('POST /api/events/:event/holds', { params, body: { seat_ids: free } })
  console.log(`held ${held.data.holds.length} seats for ${held.data.expires_in_seconds} s`)
  for (const { hold_id } of held.data.holds) {
    await client.call('DELETE /api/holds/:hold', { params: { hold: hold_id } })
  }
  console.log('given back')
} catch (error) {
  // Every refusal has a code; with the code its members are known.
  if (!(error instanceof Refused)) throw error
  if (error.is('seat_held_by_another_user')) console.log(`taken for ${error.problem.expires_in} s more`)
  else console.log(`refused: ${error.code}. ${error.message}`)
}

following.stop()
