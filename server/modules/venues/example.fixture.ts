import type { Example } from '@voelgoed/testing/example'
import { SMALL_LAYOUT } from '@voelgoed/testing/harness'

export const example: Example = {
  needs: [],
  async make(ask) {
    const venue = await ask('organizer', 'POST', '/api/admin/venues', { name: 'Hall' })
    const layout = await ask('organizer', 'POST', `/api/admin/venues/${venue.id}/layouts`, {
      name: 'Hall',
      config: SMALL_LAYOUT,
    })
    await ask('organizer', 'POST', `/api/admin/layouts/${layout.layout_id}/versions/1/activate`)
    return { venue: venue.id, layout: layout.layout_id, v: '1' }
  },
}
