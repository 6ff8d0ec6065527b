import { type ChildProcess, spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { checkoutsAt } from '@voelgoed/testing/checkouts'
import type { Hall } from '@voelgoed/testing/hall'
import { temporaryFolder } from '@voelgoed/testing/process'
import { useServer } from '@voelgoed/testing/use-server'
import { afterAll, beforeAll, expect, it } from 'vitest'

/** The server that every integrator copies: docs/guide/embedding.md. */
const used = useServer({ VOELGOED_PAYMENTS: 'none' })
const { server, ours, send } = used
const { pricedHall, guest, hold } = checkoutsAt(used)
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let shop: { readonly process: ChildProcess; readonly url: string; said: string }
let at: Hall

beforeAll(async () => {
  folder = await temporaryFolder()
  at = await pricedHall()
  const docs = await readFile(new URL('../../docs/guide/embedding.md', import.meta.url), 'utf8')
  const program = /```js\n([\s\S]*?)```/.exec(docs)![1]!
  await writeFile(join(folder.path, 'shop.mjs'), program)
  await writeFile(join(folder.path, 'page.html'), '<h1>A shop</h1>')
  const body = { name: 'Shop', role: 'organizer' }
  const key = await send('POST', '/api/admin/api-keys', ours.tokens.admin, body)
  const TICKETS = await server.node.listen()
  const env = { TICKETS, API_KEY: key.body.data.key, PAGE: join(folder.path, 'page.html'), PORT: '0' }
  const child = spawn(process.execPath, [join(folder.path, 'shop.mjs')], { env, stdio: 'pipe' })
  const url = await new Promise<string>(resolve => {
    child.stdout.once('data', (line: Buffer) => resolve(line.toString().trim()))
  })
  shop = { process: child, url, said: '' }
  child.stderr.on('data', (line: Buffer) => {
    shop.said += line
  })
})
afterAll(async () => {
  shop?.process.kill()
  await folder?.remove()
})

async function book(body: unknown): Promise<{ status: number; body: Record<string, unknown> }> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const answer = await fetch(`${shop.url}/book`, { method: 'POST', body: text })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

it('the example shop answers each bad request with its reason, takes what the server says, and goes on', async () => {
  const event_id = at.eventId
  const token = await guest()
  expect((await book('no JSON')).body.code).toBe('invalid_request')
  expect((await book('x'.repeat(20_000))).body.code).toBe('too_large')
  expect((await book('null')).status).toBeGreaterThanOrEqual(400)
  expect(await book({ event_id, token: 'a stranger' })).toMatchObject({
    status: 401,
    body: { code: 'unauthorized' },
  })
  expect((await book({ event_id: 'no event', token })).status).toBe(404)
  expect(await book({ event_id, token, email: 'ann@example.org' })).toMatchObject({
    status: 409,
    body: { code: 'nothing_to_pay_for' },
  })
  expect(shop.said).toBe('')

  // A refusal means that nothing is sold: the money goes back.
  await hold(at, token, [0, 1])
  const refused = await book({ event_id, token, email: 'no address' })
  expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
  // Its words come through a pipe, and may arrive after its answer.
  await expect.poll(() => shop.said).toMatch(/takes 163000 ZAR for shop-[\s\S]*gives 163000 ZAR back/)

  const booked = await book({ event_id, token, email: 'ann@example.org' })
  expect(booked).toMatchObject({ status: 200, body: { total: 163_000, currency: 'ZAR' } })
  const query = `/api/admin/orders?query=${booked.body.order_number}`
  const [order] = (await send('GET', query, ours.tokens.support)).body.data
  expect(order).toMatchObject({ status: 'paid', contact: { email: 'ann@example.org' } })
  expect(shop.process.exitCode).toBe(null)
})
