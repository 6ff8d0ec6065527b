import type { StaffSession } from '../kit/staff-session.svelte.ts'

/** This browser keeps this while its visitor is at the provider. */
interface Begun {
  readonly secret: string
  /** They were going there. */
  readonly path: string
}

/** The provider adds these to the address that the browser comes back to. */
export interface ProviderReturn {
  readonly state: string
  readonly code: string
  readonly iss?: string
}

const keyOf = (slug: string) => `voelgoed:provider:${slug}`

/** Goes to the identity provider. The page is left, and opened again at `/:org/console/signed-in`. */
export async function goToProvider({ client, slug }: StaffSession): Promise<void> {
  const { data } = await client.call('POST /api/sessions/provider', { body: { organization: slug } })
  const home = `/${slug}/console`
  const isInside = location.pathname.startsWith(home) && location.pathname !== returnPath(slug)
  const begun: Begun = { secret: data.browser_secret, path: isInside ? location.pathname : home }
  sessionStorage.setItem(keyOf(slug), JSON.stringify(begun))
  location.assign(data.authorization_url)
}

function returnPath(slug: string): string {
  return `/${slug}/console/signed-in`
}

/** Null: the provider says no, or the visitor did not come from it. */
export function readReturn(): ProviderReturn | null {
  const query = new URLSearchParams(location.search)
  const [state, code, iss] = [query.get('state'), query.get('code'), query.get('iss')]
  return state && code ? { state, code, ...(iss && { iss }) } : null
}

/** Signs in with what the provider said. Returns where the visitor was going. */
export async function finishAtProvider(
  session: StaffSession,
  back: ProviderReturn,
  secondFactor?: string,
): Promise<string> {
  const begun = readBegun(session.slug)
  await session.signInWithProvider({
    ...back,
    browser_secret: begun.secret,
    ...(secondFactor && { second_factor: secondFactor }),
  })
  sessionStorage.removeItem(keyOf(session.slug))
  return begun.path
}

/** A browser that began nothing has no secret; the server says so. */
function readBegun(slug: string): Begun {
  const kept = sessionStorage.getItem(keyOf(slug))
  return kept
    ? (JSON.parse(kept) as Begun)
    : { secret: 'none was begun in this browser', path: `/${slug}/console` }
}
