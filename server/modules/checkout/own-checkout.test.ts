import { readFile } from 'node:fs/promises'
import { createClient } from '@voelgoed/client'
import { openHall } from '@voelgoed/testing/hall'
import { expectSound } from '@voelgoed/testing/invariants'
import { useServer } from '@voelgoed/testing/use-server'
import { expect, it } from 'vitest'

const { server, ours, send } = useServer()

/** The first piece of code under a heading. */
async function codeUnder(heading: string): Promise<string> {
  const text = await readFile(new URL('../../../docs/guide/client.md', import.meta.url), 'utf8')
  const section = text.split(/^## /m).find(part => part.startsWith(`${heading}\n`))!
  return /```ts\n([\s\S]*?)```/.exec(section)![1]!
}

it('docs/guide/client.md: a platform with a checkout of its own holds, books and voids with these six lines', async () => {
  const baseUrl = await server.node.listen()
  const at = await openHall(server.request, ours.tokens.organizer)
  const made = await send('POST', '/api/admin/api-keys', ours.tokens.admin, {
    name: 'Shop',
    role: 'organizer',
  })
  const guest = await server.request('POST', '/api/sessions/guest', { body: { organization: ours.slug } })
  const code = await codeUnder('A checkout of your own')
  expect(code.trim().split('\n')).toHaveLength(6)
  const seen: string[] = []
  const statusOf = async () => {
    const seat = await send('GET', `${at.url}/seats/${at.seats[0]}`, ours.tokens.customer)
    seen.push(seat.body.data.status)
  }
  const shop = createClient({ baseUrl, token: made.body.data.key })
  const watched = {
    async call(...args: Parameters<typeof shop.call>) {
      const answer = await shop.call(...args)
      await statusOf()
      return answer
    },
  }
  const run = new Function(
    ...['buyer', 'shop', 'event', 'seatIds', 'takeTheMoney'],
    `return (async () => {\n${code}\nreturn order })()`,
  )
  const order = await run(
    createClient({ baseUrl, token: guest.body.data.token }),
    watched,
    at.eventId,
    at.seats.slice(0, 2),
    statusOf,
  )
  expect(seen).toEqual(['held', 'sold', 'available'])
  const read = await send('GET', `/api/admin/orders/${order}`, ours.tokens.support)
  expect(read.body.data).toMatchObject({
    status: 'refunded',
    reference: 'cart-4711',
    sold_by: made.body.data.key_id,
  })
  await expectSound(server.database)
})
