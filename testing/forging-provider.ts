import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemClock } from '@voelgoed/kit/base/clock'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { CLIENT, closed } from './test-provider.ts'

/** A provider that says what a test wants it to say. */
export interface ForgingProvider {
  readonly issuer: string
  /** Changes claims of the next tokens; `undefined` leaves one out. */
  claims: Record<string, unknown>
  /** Changes the document that it tells its addresses in. */
  metadata: Record<string, unknown>
  /** So often its keys were asked for. */
  keysAsked: number
  /** A new key; the old one is gone. */
  rotate(algorithm?: 'RS256' | 'ES256'): Promise<void>
  /** Signs with a key that it does not publish. */
  signWithStranger(): Promise<void>
  /** As the page would come back. */
  comeBack(authorizationUrl: string): { code: string; state: string }
  close(): Promise<void>
}

export async function startForgingProvider(): Promise<ForgingProvider> {
  let key: CryptoKey
  let published: JWK
  let algorithm = 'ES256'
  let kid = 0
  let nonce = ''
  const server = createServer((request, response) => {
    const answer = (body: unknown) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(body))
    }
    if (request.url === '/.well-known/openid-configuration') {
      answer({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        token_endpoint_auth_methods_supported: ['client_secret_post'],
        ...provider.metadata,
      })
    } else if (request.url === '/keys') {
      provider.keysAsked += 1
      answer({ keys: [published] })
    } else if (request.url === '/token') {
      const now = Math.floor(systemClock.now() / 1000)
      const claims = {
        iss: issuer,
        aud: CLIENT.id,
        iat: now,
        exp: now + 300,
        nonce,
        sub: 'forged',
        email: 'forged@staff.example',
        email_verified: true,
        ...provider.claims,
      }
      void new SignJWT(claims)
        .setProtectedHeader({ alg: algorithm, kid: String(kid) })
        .sign(key)
        .then(token => answer({ id_token: token, token_type: 'Bearer' }))
    } else {
      response.statusCode = 404
      response.end('{}')
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const newKey = async () => {
    const pair = await generateKeyPair(algorithm, { extractable: true })
    key = pair.privateKey
    return exportJWK(pair.publicKey)
  }
  const provider: ForgingProvider = {
    issuer,
    claims: {},
    metadata: {},
    keysAsked: 0,
    async rotate(next = 'ES256') {
      algorithm = next
      kid += 1
      published = { ...(await newKey()), kid: String(kid), use: 'sig', alg: next }
    },
    async signWithStranger() {
      await newKey()
    },
    comeBack(authorizationUrl) {
      const { searchParams } = new URL(authorizationUrl)
      nonce = searchParams.get('nonce')!
      return { code: 'a code', state: searchParams.get('state')! }
    },
    close: () => closed(server),
  }
  await provider.rotate()
  return provider
}
