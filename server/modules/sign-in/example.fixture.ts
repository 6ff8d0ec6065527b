import type { Example } from '@voelgoed/testing/example'

export const example: Example = {
  needs: ['user'],
  async make(_ask, ids, { organization, database }) {
    const [session] = await database.sql<{ id: string }>(
      'select id from sessions where organization_id = $1 and user_id = $2',
      [organization.id, ids.user],
    )
    const prefix = Buffer.from(organization.id.replaceAll('-', ''), 'hex').toString('base64url')
    return { session: session!.id, reset_token: `vgr1_${prefix}_${'A'.repeat(43)}` }
  },
}
