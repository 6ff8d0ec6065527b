import { ok, refuse } from '@voelgoed/core/result'
import { expect, it } from 'vitest'
import type { AskProvider } from './ask-provider.ts'
import { ProviderAddresses } from './provider-address.ts'
import { ProviderDocuments } from './provider-documents.ts'

const ISSUER = 'https://login.example.org'
const METADATA = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize`,
  token_endpoint: `${ISSUER}/token`,
  jwks_uri: `${ISSUER}/keys`,
}

function open() {
  let now = 0
  let isDown = false
  const asked: string[] = []
  const ask: AskProvider = async url => {
    asked.push(url)
    if (isDown) return refuse('unreachable')
    const keys = [
      { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' },
      { kty: 'oct', k: 'AA' },
    ]
    return ok({ status: 200, json: url === METADATA.jwks_uri ? { keys } : METADATA })
  }
  const addresses = new ProviderAddresses(false)
  return {
    asked,
    documents: new ProviderDocuments({ ask, addresses, clock: { elapsed: () => now } }),
    advance: (ms: number) => {
      now += ms
    },
    down: (yes: boolean) => {
      isDown = yes
    },
  }
}

it('asks once for many, and again after ten minutes', async () => {
  const { documents, asked, advance } = open()
  await Promise.all([documents.metadata(ISSUER), documents.metadata(ISSUER)])
  await documents.metadata(ISSUER)
  expect(asked).toHaveLength(1)
  advance(10 * 60_000)
  await documents.metadata(ISSUER)
  expect(asked).toHaveLength(2)
})

it('asks a provider that is down once in five seconds', async () => {
  const { documents, asked, advance, down } = open()
  down(true)
  for (let count = 0; count < 10; count += 1) {
    expect(await documents.metadata(ISSUER)).toMatchObject({ problem: 'unreachable' })
  }
  expect(asked).toHaveLength(1)
  down(false)
  advance(5_000)
  expect(await documents.metadata(ISSUER)).toMatchObject({ ok: true })
})

it('asks for keys early five times a minute at most, and takes no symmetric one', async () => {
  const { documents, asked } = open()
  const found = await documents.metadata(ISSUER)
  const metadata = found.ok ? found.value : expect.unreachable()
  expect(await documents.readKeys(metadata.jwksUri)).toMatchObject({ value: { keys: [{ kty: 'EC' }] } })
  const before = asked.length
  for (let count = 0; count < 20; count += 1) {
    await documents.keys(metadata)
    documents.forgetKeys(metadata)
  }
  expect(asked.length - before).toBe(6)
})
