import type { Example } from '@voelgoed/testing/example'

export const example: Example = {
  needs: ['event'],
  async make(ask, ids) {
    const whitelist = `/api/admin/events/${ids.event}/whitelist`
    await ask('organizer', 'POST', whitelist, { entries: [{ email: 'friend@example.org' }] })
    const [entry] = await ask('organizer', 'GET', whitelist)
    return { entry: entry.entry_id }
  },
}
