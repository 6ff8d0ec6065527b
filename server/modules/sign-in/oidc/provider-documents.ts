import type { ProviderTrouble } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import type { Clock } from '@voelgoed/kit/base/clock'
import { RateLimit } from '@voelgoed/kit/http/rate-limit'
import { createLocalJWKSet, type JSONWebKeySet } from 'jose'
import type { AskProvider } from './ask-provider.ts'
import type { ProviderAddresses } from './provider-address.ts'

/** A provider says this of itself. */
export interface ProviderMetadata {
  readonly issuer: string
  readonly authorizationEndpoint: string
  readonly tokenEndpoint: string
  readonly jwksUri: string
  /** It tells here of a user who has signed in; null: it does so in the token alone. */
  readonly userinfoEndpoint: string | null
  /** The client shows its secret in this part of the request. */
  readonly secretIn: 'header' | 'body'
  /** It adds `iss` to the address that the browser comes back to. */
  readonly namesItself: boolean
}

export type ProviderKeys = ReturnType<typeof createLocalJWKSet>

export const ALGORITHMS = ['RS256', 'ES256']
const KEEP_MS = 10 * 60_000
/** A provider that is down is not asked by each visitor: to look up its name takes a thread of ours. */
const KEEP_FAILURE_MS = 5_000
const MAX_KEPT = 200
const MAX_KEYS = 100
/** A token may name a key that we do not know: a stranger's must not make us ask for keys all the time. */
const EARLY = { count: 5, windowMs: 60_000, maxKeys: MAX_KEPT }

interface Kept<T> {
  until: number
  readonly value: Promise<Result<T, ProviderTrouble>>
}

/** The documents of providers, kept for ten minutes; a failure is, for seconds. */
export class ProviderDocuments {
  readonly #ask: AskProvider
  readonly #addresses: ProviderAddresses
  readonly #clock: Pick<Clock, 'elapsed'>
  readonly #metadata = new Map<string, Kept<ProviderMetadata>>()
  readonly #keys = new Map<string, Kept<JSONWebKeySet>>()
  readonly #early: RateLimit

  constructor(deps: { ask: AskProvider; addresses: ProviderAddresses; clock: Pick<Clock, 'elapsed'> }) {
    this.#ask = deps.ask
    this.#addresses = deps.addresses
    this.#clock = deps.clock
    this.#early = new RateLimit(deps.clock, EARLY)
  }

  metadata(issuer: string): Promise<Result<ProviderMetadata, ProviderTrouble>> {
    return this.#kept(this.#metadata, issuer, () => this.readMetadata(issuer))
  }

  async keys({ jwksUri }: ProviderMetadata): Promise<Result<ProviderKeys, ProviderTrouble>> {
    const found = await this.#kept(this.#keys, jwksUri, () => this.readKeys(jwksUri))
    return found.ok ? ok(createLocalJWKSet(found.value)) : found
  }

  /** A token names a key that is not among those we know: the provider may have a new one. */
  forgetKeys({ jwksUri }: ProviderMetadata): boolean {
    return this.#early.take(jwksUri) === null && this.#keys.delete(jwksUri)
  }

  async readMetadata(issuer: string): Promise<Result<ProviderMetadata, ProviderTrouble>> {
    const answer = await this.#ask(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
    if (!answer.ok) return answer
    const { status, json } = answer.value
    if (status !== 200) return refuse('answer_invalid')
    if (json.issuer !== issuer) return refuse('other_issuer')
    const endpoints = [json.authorization_endpoint, json.token_endpoint, json.jwks_uri]
    if (!endpoints.every(text => typeof text === 'string' && text.length <= 2_000)) {
      return refuse('answer_invalid')
    }
    // The first is opened by the browser of a member of staff.
    if (!endpoints.every(text => this.#addresses.read(text as string))) return refuse('address_not_allowed')
    const [authorizationEndpoint, tokenEndpoint, jwksUri] = endpoints as [string, string, string]
    const userinfo = json.userinfo_endpoint
    const hasUserinfo = typeof userinfo === 'string' && this.#addresses.read(userinfo) !== null
    const methods = json.token_endpoint_auth_methods_supported
    const isInBody = Array.isArray(methods) && !methods.includes('client_secret_basic')
    return ok({
      issuer,
      authorizationEndpoint,
      tokenEndpoint,
      jwksUri,
      userinfoEndpoint: hasUserinfo ? userinfo : null,
      secretIn: isInBody ? 'body' : 'header',
      namesItself: json.authorization_response_iss_parameter_supported === true,
    })
  }

  async readKeys(jwksUri: string): Promise<Result<JSONWebKeySet, ProviderTrouble>> {
    const answer = await this.#ask(jwksUri)
    if (!answer.ok) return answer
    const { status, json } = answer.value
    const keys = Array.isArray(json.keys) ? json.keys : []
    // Symmetric keys are no keys of a provider; those of other algorithms are for others.
    const usable = keys.slice(0, MAX_KEYS).filter(isSigningKey)
    return status === 200 && usable.length > 0
      ? ok({ keys: usable } as unknown as JSONWebKeySet)
      : refuse('answer_invalid')
  }

  async #kept<T>(
    store: Map<string, Kept<T>>,
    name: string,
    read: () => Promise<Result<T, ProviderTrouble>>,
  ): Promise<Result<T, ProviderTrouble>> {
    const now = this.#clock.elapsed()
    const known = store.get(name)
    if (known && known.until > now) return known.value
    const fresh = { until: now + KEEP_MS, value: read() }
    store.delete(name)
    store.set(name, fresh)
    if (store.size > MAX_KEPT) store.delete(store.keys().next().value!)
    const result = await fresh.value
    if (!result.ok) fresh.until = Math.min(fresh.until, this.#clock.elapsed() + KEEP_FAILURE_MS)
    return result
  }
}

function isSigningKey(key: unknown): boolean {
  if (typeof key !== 'object' || key === null) return false
  const { kty, crv, use, alg } = key as Record<string, unknown>
  const isKind = kty === 'RSA' || (kty === 'EC' && crv === 'P-256')
  return (
    isKind &&
    (use === undefined || use === 'sig') &&
    (alg === undefined || ALGORITHMS.includes(alg as string))
  )
}
