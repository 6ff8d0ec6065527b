import { expect, it } from 'vitest'
import { startTestServer } from '../../test/harness.ts'
import { sweepOnce } from './sweep.ts'

it('deletes what has expired, in as many bites as it takes, and nothing else', async () => {
  const server = await startTestServer()
  const ours = await server.organization()
  const guest = await server.request('POST', '/api/sessions/guest', { body: { organization: ours.slug } })
  const { token, user } = guest.body.data
  await server.database.sql(
    `insert into sessions (organization_id, token_hash, user_id, expires_at)
     select $1, decode(md5(i::text), 'hex'), $2, now() - interval '1 second' from generate_series(1, 12000) i`,
    [ours.id, user.id],
  )
  expect(await sweepOnce(server.node.database)).toMatchObject({ sessions: 12_000 })
  expect(await sweepOnce(server.node.database)).toMatchObject({ sessions: 0 })
  expect((await server.request('GET', '/api/session', { token })).status).toBe(200)
  await server.close()
})
