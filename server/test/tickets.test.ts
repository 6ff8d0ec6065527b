import { MAX_TICKET_KEYS } from '@voelgoed/core/contract/tickets'
import type { EventId, OrganizationId, TicketId } from '@voelgoed/core/ids'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TenantScope } from '../src/tenant.ts'
import { type ListeningNode, startListeningNode } from './kit/second-node.ts'
import { useServer } from './kit/use-server.ts'
import { waitUntil } from './kit/wait-until.ts'

const { server, ours, send } = useServer()
let otherNode: ListeningNode

beforeAll(async () => {
  otherNode = await startListeningNode(server.database.url)
})
afterAll(() => otherNode.close())

const scope = () => TenantScope.of(ours.id as OrganizationId)
const rotate = (body?: object, token = ours.tokens.admin) =>
  send('POST', '/api/admin/ticket-keys/rotate', token, body)
const TICKET = {
  eventId: '0197a000-0000-7000-8000-000000000006' as EventId,
  ticketId: '0197a000-0000-7000-8000-00000000000c' as TicketId,
  version: 1,
}

describe('keys of tickets', () => {
  it('are rotated by admins, listed without their private part, and every node follows', async () => {
    const { ticketKeys } = server.node
    const old = await ticketKeys.sign(scope(), TICKET)
    expect(await otherNode.node.ticketKeys.verify(scope(), old)).toEqual(TICKET)
    expect((await rotate({}, ours.tokens.organizer)).status).toBe(403)
    const made = await rotate()
    expect(made.status, made.text).toBe(201)
    const list = await send('GET', '/api/admin/ticket-keys', ours.tokens.organizer)
    expect(list.body.data.map((key: { status: string }) => key.status)).toEqual(['signing', 'verifying'])
    expect(list.body.data[0]).toEqual(made.body.data)
    expect(Object.keys(list.body.data[0])).not.toContain('sealed_private_key')
    const fresh = await ticketKeys.sign(scope(), TICKET)
    expect(fresh).not.toBe(old)
    expect(await ticketKeys.verify(scope(), old)).toEqual(TICKET)

    const retired = await rotate({ retire_older: true })
    expect(await ticketKeys.verify(scope(), old)).toBeNull()
    expect(await ticketKeys.verify(scope(), fresh)).toBeNull()
    await waitUntil('the other node hears of it', async () => {
      return (await otherNode.node.ticketKeys.verify(scope(), old)) === null
    })
    const audit = await send(
      'GET',
      `/api/admin/audit?entity_id=${retired.body.data.key_id}`,
      ours.tokens.admin,
    )
    expect(audit.body.data).toMatchObject([
      { action: 'ticket_key_rotated', changes: { replaced: [made.body.data.key_id] } },
    ])
    expect(audit.body.data[0].changes.retired).toHaveLength(2)
  })

  it('are not many at once: a forged ticket is tried with each', async () => {
    const live = async () =>
      (await send('GET', '/api/admin/ticket-keys', ours.tokens.admin)).body.data.filter(
        (key: { status: string }) => key.status !== 'retired',
      ).length
    while ((await live()) < MAX_TICKET_KEYS) expect((await rotate()).status).toBe(201)
    const refused = await rotate()
    expect(refused.body).toMatchObject({ code: 'too_many_ticket_keys', limit: MAX_TICKET_KEYS })
    expect((await rotate({ retire_older: true })).status).toBe(201)
    expect(await live()).toBe(1)
  })

  it.each([
    ['a retired key verifies again', 'update ticket_keys set retired_at = null where retired_at is not null'],
    ['a replaced key signs again', 'update ticket_keys set replaced_at = null where replaced_at is not null'],
  ])('the table refuses that %s', async (_, sql) => {
    await expect(server.database.sql(sql)).rejects.toThrow(/was replaced or retired/)
  })
})
