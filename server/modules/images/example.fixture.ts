import type { Example } from '@voelgoed/testing/example'

/** One pixel, as PNG. */
export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** The event keeps the image: a sweep deletes those that nothing uses. */
export const example: Example = {
  needs: ['event'],
  async make(ask, ids) {
    const png = { 'content-type': 'image/png' }
    const image = await ask('organizer', 'POST', '/api/admin/images', PIXEL, png)
    await ask('organizer', 'PATCH', `/api/admin/events/${ids.event}`, { image_id: image.image_id })
    return { image: image.image_id }
  },
}
