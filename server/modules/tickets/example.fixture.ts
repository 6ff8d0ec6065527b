import type { Example } from '@voelgoed/testing/example'

/** The key that signs tickets is a new one. */
export const example: Example = {
  needs: ['order'],
  async make(ask) {
    await ask('admin', 'POST', '/api/admin/ticket-keys/rotate')
    return {}
  },
}
