import type { Example } from '@voelgoed/testing/example'

/** An event on sale. Its holds outlive any test: those of a neighbour must not change. */
export const example: Example = {
  needs: ['venue', 'layout'],
  async make(ask, ids) {
    const event = await ask('organizer', 'POST', '/api/admin/events', {
      name: 'Play',
      venue_id: ids.venue,
      layout_id: ids.layout,
      starts_at: '2099-03-01T17:30:00Z',
      seating_overrides: { default_hold_ttl_seconds: 7_200 },
    })
    await ask('organizer', 'POST', `/api/admin/events/${event.id}/publish`)
    return { event: event.id }
  },
}
