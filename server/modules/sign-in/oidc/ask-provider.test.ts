import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WITHIN_MS } from '@voelgoed/testing/wait-until'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { askProvider } from './ask-provider.ts'
import { isPrivate, ProviderAddresses } from './provider-address.ts'

const server = createServer((request, response) => {
  if (request.url === '/redirect') response.writeHead(302, { location: '/' }).end()
  else if (request.url === '/json') response.end('{"a":1}')
  else if (request.url === '/begins') response.write('{')
})
let origin: string

beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

it('waits for so long and no longer, before the answer and in the middle of it', async () => {
  const ask = askProvider(new ProviderAddresses(true), { waitMs: 100 })
  for (const path of ['/silent', '/begins']) {
    expect(await ask(`${origin}${path}`), path).toMatchObject({ problem: 'time_out' })
  }
})

it('follows no redirect, and counts how it ended', async () => {
  const seen: string[] = []
  const onAnswer = (outcome: string) => void seen.push(outcome)
  const ask = askProvider(new ProviderAddresses(true), { waitMs: WITHIN_MS, onAnswer })
  expect(await ask(`${origin}/redirect`)).toMatchObject({ problem: 'answer_invalid' })
  expect(await ask(`${origin}/json`)).toMatchObject({ value: { status: 200, json: { a: 1 } } })
  expect(seen).toEqual(['answer_invalid', 'ok'])
})

it('asks neither private addresses nor without TLS, unless the operator allows this machine', async () => {
  const ask = askProvider(new ProviderAddresses(false), { waitMs: WITHIN_MS })
  expect(await ask(`${origin}/json`)).toMatchObject({ problem: 'address_not_allowed' })
  expect(await ask('https://localhost:1/json')).toMatchObject({ problem: 'address_not_allowed' })
  const strict = new ProviderAddresses(false)
  const open = new ProviderAddresses(true)
  for (const text of [
    'http://example.org',
    'ftp://example.org',
    'https://u:p@example.org',
    'https://x.org/#y',
  ]) {
    expect([text, strict.read(text), open.read(text)]).toEqual([text, null, null])
  }
  expect(strict.read('https://login.example.org/tenant')?.hostname).toBe('login.example.org')
  // As browsers and Node write them, these are addresses too.
  for (const text of ['https://2130706433', 'https://0x7f.1', 'https://[::ffff:127.0.0.1]']) {
    expect([text, strict.read(text)]).toEqual([text, null])
  }
})

it('knows which addresses are private', () => {
  for (const address of [
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '192.168.1.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:10.0.0.1',
    '64:ff9b::a00:1',
    '2002:a00:1::',
    'fd00::1',
    'fe80::1',
    'ff02::1',
  ]) {
    expect([address, isPrivate(address)]).toEqual([address, true])
  }
  for (const address of ['1.1.1.1', '8.8.8.8', '172.32.0.1', '2606:4700:4700::1111', '::ffff:1.1.1.1']) {
    expect([address, isPrivate(address)]).toEqual([address, false])
  }
})
