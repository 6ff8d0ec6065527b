import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import { Provider } from 'oidc-provider'

/** The provider signs this person in next, without asking. */
export interface TestPerson {
  readonly sub: string
  readonly email?: string
  readonly email_verified?: boolean
}

export interface TestProvider {
  readonly issuer: string
  /** Signs in a person who comes to this address. Returns the address that they come back to. */
  signIn(authorizationUrl: string, person: TestPerson): Promise<URL>
  /** It signs this person in when a browser comes. */
  person: TestPerson
  close(): Promise<void>
}

export const CLIENT = { id: 'seating', secret: 'a secret: with signs & spaces' }

/** A real OpenID Connect provider on this machine. It asks for no password. */
export async function startTestProvider(
  redirectUris: readonly string[],
  { emailInToken = false } = {},
): Promise<TestProvider> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  let person: TestPerson = { sub: 'first' }
  const people = new Map<string, TestPerson>()
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [...redirectUris],
        response_types: ['code'],
        grant_types: ['authorization_code'],
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'first', use: 'sig', alg: 'RS256' }] },
    cookies: { keys: ['for tests'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: !emailInToken,
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, id) => ({ accountId: id, claims: () => people.get(id) as { sub: string } }),
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client!.clientId,
        accountId: oidc.session!.accountId!,
      })
      grant.addOIDCScope('openid email')
      await grant.save()
      return grant
    },
  })
  const handle = provider.callback()
  server.on('request', (request, response) => {
    if (!request.url!.startsWith('/interaction/')) return handle(request, response)
    people.set(person.sub, person)
    void provider.interactionFinished(request, response, { login: { accountId: person.sub } })
  })
  return {
    issuer,
    get person() {
      return person
    },
    set person(next) {
      person = next
    },
    async signIn(authorizationUrl, next) {
      person = next
      return comeBack(authorizationUrl, redirectUris)
    },
    close: () => closed(server),
  }
}

/** Follows the provider's redirects, with its cookies, to where a browser would leave it. */
async function comeBack(from: string, redirectUris: readonly string[]): Promise<URL> {
  const cookies = new Map<string, string>()
  for (let url = from, hops = 0; hops < 10; hops += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [pair] = line.split(';')
      const [name, ...value] = pair!.split('=')
      cookies.set(name!, value.join('='))
    }
    const location = response.headers.get('location')
    if (location === null) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
    url = new URL(location, url).href
    if (redirectUris.some(uri => url.startsWith(`${uri}?`))) return new URL(url)
  }
  throw new Error('the provider leads in circles')
}

export function closed(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise(resolve => server.close(() => resolve()))
}
