import type { Example } from '@voelgoed/testing/example'

export const example: Example = {
  needs: [],
  async make(ask, _ids, { organization, database }) {
    const [user] = await database.sql<{ id: string }>(
      `select id from users where organization_id = $1 and role = 'customer'`,
      [organization.id],
    )
    const key = await ask('admin', 'POST', '/api/admin/api-keys', { name: 'Shop', role: 'support' })
    return { user: user!.id, key: key.key_id }
  },
}
