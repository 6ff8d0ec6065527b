import { createHash, randomBytes } from 'node:crypto'
import type { ProviderTrouble, Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import { type AuditActor, appendAudit } from '@voelgoed/kit/audit/audit-log'
import type { Clock } from '@voelgoed/kit/base/clock'
import { KeySeal } from '@voelgoed/kit/base/seal-key'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import type { Principals, User } from '@voelgoed/kit/http/principals'
import { hashSecret } from '@voelgoed/kit/http/tokens'
import type { Database, TenantTx } from '@voelgoed/kit/postgres/database'
import type { FastifyBaseLogger } from 'fastify'
import type { Organization } from '../../people/tables/organizations.ts'
import { findUser } from '../../people/tables/users.ts'
import type { SecondFactors } from '../second-factor.ts'
import { type NewSession, startSession } from '../sign-in.ts'
import {
  deleteProviderSignIn,
  type IdentityProvider,
  insertProviderSignIn,
  lockVouchedFor,
  noteVouchedFor,
  type ProviderSignIn,
  readIdentityProvider,
  takeProviderSignIn,
} from '../tables/identity-providers.ts'
import { type AskProvider, askProvider, type OnAnswer } from './ask-provider.ts'
import { accountOf } from './linked-account.ts'
import { ProviderAddresses } from './provider-address.ts'
import { ProviderDocuments, type ProviderMetadata } from './provider-documents.ts'
import { refused } from './refused.ts'
import { type Vouched, verifiedEmailIn, verifyIdToken } from './verify-id-token.ts'

const LIFE_SECONDS = 10 * 60

/** With what it needs to ask providers. */
export function openIdentityProviders(
  deps: Omit<IdentityProviderDeps, 'addresses' | 'ask' | 'documents'> & {
    readonly arePrivateAllowed: boolean
    readonly onAnswer: OnAnswer
  },
): IdentityProviders {
  const addresses = new ProviderAddresses(deps.arePrivateAllowed)
  const ask = askProvider(addresses, { onAnswer: deps.onAnswer })
  const documents = new ProviderDocuments({ ask, addresses, clock: deps.clock })
  return new IdentityProviders({ ...deps, addresses, ask, documents })
}

export interface IdentityProviderDeps {
  readonly database: Database
  readonly clock: Clock
  readonly addresses: ProviderAddresses
  readonly ask: AskProvider
  readonly documents: ProviderDocuments
  readonly secondFactors: SecondFactors
  readonly principals: Principals
  readonly signingKey: Buffer
  /** Where browsers reach the pages, without a slash at the end. */
  readonly pageUrl: () => string
  readonly log: Pick<FastifyBaseLogger, 'warn' | 'info'>
}

/** The browser shows this when it comes back. */
export interface ProviderClaim {
  readonly organization: Organization
  readonly state: string
  readonly browserSecret: string
  readonly code: string
  readonly iss?: string | undefined
  readonly secondFactor?: string | undefined
}

/**
 * Sign-ins by an organization's own identity provider: OpenID Connect, with an authorization code, PKCE, a
 * state and a nonce. The page that the browser comes back to has the organization in its address, so what one
 * provider says is never taken to another one.
 */
export class IdentityProviders {
  readonly #deps: IdentityProviderDeps
  readonly #seal: KeySeal

  constructor(deps: IdentityProviderDeps) {
    this.#deps = deps
    this.#seal = new KeySeal(deps.signingKey, 'identity providers')
  }

  redirectUri({ slug }: { readonly slug: string }): string {
    return `${this.#deps.pageUrl()}/${slug}/console/signed-in`
  }

  mayBeAt(issuer: string): boolean {
    const url = this.#deps.addresses.read(issuer)
    return url !== null && url.search === ''
  }

  /** Bound to the client: it is never shown to another provider than the one it was given for. */
  sealSecret(organizationId: string, client: Client, secret: string): Buffer {
    return this.#seal.seal(Buffer.from(secret), placeOf(organizationId, client))
  }

  /** Asks the provider now what a sign-in would ask first. */
  async test(issuer: string): Promise<Result<{ metadata: ProviderMetadata; keys: number }, ProviderTrouble>> {
    const metadata = await this.#deps.documents.readMetadata(issuer)
    if (!metadata.ok) return metadata
    const keys = await this.#deps.documents.readKeys(metadata.value.jwksUri)
    return keys.ok ? ok({ metadata: metadata.value, keys: keys.value.keys.length }) : keys
  }

  async begin(
    organization: Organization,
  ): Promise<Result<{ authorizationUrl: string; browserSecret: string }, Refusal>> {
    const { database, documents } = this.#deps
    const scope = TenantScope.of(organization.id)
    const provider = await database.tenant(scope, tx => readIdentityProvider(tx))
    if (!provider) return refuse(refused('not_set_up'))
    const metadata = await documents.metadata(provider.issuer)
    if (!metadata.ok) return refuse(this.#troubled(organization, provider, metadata.problem))
    const [state, browserSecret, nonce, verifier] = [secret(), secret(), secret(), secret()]
    const redirectUri = this.redirectUri(organization)
    await database.tenant(scope, tx =>
      insertProviderSignIn(tx, {
        stateHash: hashSecret(state),
        browserHash: hashSecret(browserSecret),
        issuer: provider.issuer,
        client_id: provider.client_id,
        nonce,
        code_verifier: verifier,
        redirect_uri: redirectUri,
        lifeSeconds: LIFE_SECONDS,
      }),
    )
    const url = new URL(metadata.value.authorizationEndpoint)
    const query = {
      response_type: 'code',
      client_id: provider.client_id,
      redirect_uri: redirectUri,
      scope: 'openid email',
      state,
      nonce,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    }
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    return ok({ authorizationUrl: url.href, browserSecret })
  }

  async finish(by: AuditActor, claim: ProviderClaim): Promise<Result<NewSession, Refusal>> {
    return claim.secondFactor === undefined
      ? this.#finishWithCode(by, claim)
      : this.#finishWithFactor(by, claim, claim.secondFactor)
  }

  async #finishWithCode(by: AuditActor, claim: ProviderClaim): Promise<Result<NewSession, Refusal>> {
    const { database, principals, secondFactors } = this.#deps
    const { organization } = claim
    const scope = TenantScope.of(organization.id)
    const { provider, taken } = await database.tenant(scope, async tx => ({
      provider: await readIdentityProvider(tx),
      taken: await takeProviderSignIn(tx, hashesOf(claim)),
    }))
    if (!provider) return refuse(refused('not_set_up'))
    // Another provider may have been set since the sign-in began.
    const isSame = taken?.issuer === provider.issuer && taken.client_id === provider.client_id
    const vouched =
      taken && isSame
        ? await this.#askWho(organization, provider, taken, claim)
        : refuse<Refusal>(refused('attempt_over'))
    const result = await database.tenant(scope, async (tx): Promise<Result<NewSession, Refusal>> => {
      if (!vouched.ok) return refuseInAudit(tx, by, null, vouched.problem)
      const linked = await accountOf(tx, by, provider, vouched.value, this.#deps.clock.now())
      if (!linked.ok) return refuseInAudit(tx, by, linked.problem.userId, linked.problem.refusal)
      const user = linked.value
      if (!provider.is_strong) {
        const judged = await secondFactors.judge(tx, user.userId, null)
        if (!judged.ok) {
          await noteVouchedFor(tx, hashesOf(claim).stateHash, user.userId)
          return judged
        }
      }
      return ok(await this.#start(tx, by, claim, user))
    })
    if (result.ok) principals.forgetUser(organization.id, result.value.user.userId)
    return result
  }

  /** The provider has vouched for the person before, in this sign-in; now they show their second factor. */
  async #finishWithFactor(
    by: AuditActor,
    claim: ProviderClaim,
    code: string,
  ): Promise<Result<NewSession, Refusal>> {
    const { database, secondFactors } = this.#deps
    return database.tenant(TenantScope.of(claim.organization.id), async tx => {
      const userId = await lockVouchedFor(tx, hashesOf(claim))
      const user = userId && (await findUser(tx, userId))
      if (!user) return refuse(refused('attempt_over'))
      if (user.isDisabled) return refuseInAudit(tx, by, user.userId, { kind: 'account_disabled' })
      const judged = await secondFactors.judge(tx, user.userId, code)
      if (!judged.ok) return refuseInAudit(tx, by, user.userId, judged.problem)
      return ok(await this.#start(tx, by, claim, user))
    })
  }

  async #start(tx: TenantTx, by: AuditActor, claim: ProviderClaim, user: User): Promise<NewSession> {
    await deleteProviderSignIn(tx, hashesOf(claim).stateHash)
    const actor: AuditActor = { ...by, actor: 'user' }
    return startSession(tx, actor, claim.organization, user, {
      action: 'session_started_by_provider',
      byProvider: true,
    })
  }

  async #askWho(
    organization: Organization,
    provider: IdentityProvider,
    signIn: ProviderSignIn,
    claim: ProviderClaim,
  ): Promise<Result<Vouched, Refusal>> {
    const { documents, log } = this.#deps
    const found = await documents.metadata(provider.issuer)
    if (!found.ok) return refuse(this.#troubled(organization, provider, found.problem))
    const metadata = found.value
    const isNamed = claim.iss === undefined ? !metadata.namesItself : claim.iss === provider.issuer
    const tokens = isNamed ? await this.#redeem(organization, provider, metadata, signIn, claim.code) : null
    if (tokens && !tokens.ok) return tokens
    const verified = tokens
      ? await this.#verify(organization, provider, metadata, signIn, tokens.value.idToken)
      : refuse('the answer names another issuer')
    if (verified.ok) return ok(await this.#withEmail(verified.value, metadata, tokens!.value.accessToken))
    if (typeof verified.problem !== 'string') return refuse(verified.problem)
    const about = { organization_id: organization.id, issuer: provider.issuer, why: verified.problem }
    log.warn(about, 'what an identity provider said of a person was not believed')
    return refuse(refused('token_invalid'))
  }

  /** The provider's own answer about the user, where the token says nothing of their address. */
  async #withEmail(
    vouched: Vouched,
    { userinfoEndpoint }: ProviderMetadata,
    accessToken: string | null,
  ): Promise<Vouched> {
    if (vouched.hasEmail || userinfoEndpoint === null || accessToken === null) return vouched
    const headers = { authorization: `Bearer ${accessToken}` }
    const answer = await this.#deps.ask(userinfoEndpoint, { headers })
    // An answer about another user would be what an attacker wants us to believe.
    if (!answer.ok || answer.value.status !== 200 || answer.value.json.sub !== vouched.subject) return vouched
    return { ...vouched, verifiedEmail: verifiedEmailIn(answer.value.json) }
  }

  /** A key that we do not know may be a new one of the provider: its keys are asked for once more. */
  async #verify(
    organization: Organization,
    provider: IdentityProvider,
    metadata: ProviderMetadata,
    { nonce }: ProviderSignIn,
    token: string,
  ): Promise<Result<Vouched, Refusal | string>> {
    const { documents, clock } = this.#deps
    const { issuer, client_id: clientId } = provider
    for (let isAgain = false; ; isAgain = true) {
      const keys = await documents.keys(metadata)
      if (!keys.ok) return refuse(this.#troubled(organization, provider, keys.problem))
      const verified = await verifyIdToken(token, keys.value, { issuer, clientId, nonce, now: clock.now() })
      if (verified.ok || verified.problem !== 'unknown_key' || isAgain) return verified
      if (!documents.forgetKeys(metadata)) return verified
    }
  }

  /** The tokens that say who signed in, for the code that the browser brought. */
  async #redeem(
    organization: Organization,
    provider: IdentityProvider,
    { tokenEndpoint, secretIn }: ProviderMetadata,
    signIn: ProviderSignIn,
    code: string,
  ): Promise<Result<{ idToken: string; accessToken: string | null }, Refusal>> {
    const { ask, log } = this.#deps
    const id = provider.client_id
    const clientSecret = this.#seal
      .open(provider.sealed_secret, placeOf(organization.id, provider))
      .toString()
    const form = new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: signIn.redirect_uri,
      code_verifier: signIn.code_verifier,
      ...(secretIn === 'body' && { client_id: id, client_secret: clientSecret }),
    })
    const basic = Buffer.from(`${formEncoded(id)}:${formEncoded(clientSecret)}`).toString('base64')
    const answer = await ask(tokenEndpoint, {
      form,
      ...(secretIn === 'header' && { headers: { authorization: `Basic ${basic}` } }),
    })
    if (!answer.ok) return refuse(this.#troubled(organization, provider, answer.problem))
    const { status, json } = answer.value
    const { id_token: idToken, access_token: accessToken } = json
    if (status === 200 && typeof idToken === 'string') {
      const isToken = typeof accessToken === 'string' && /^[\x21-\x7e]{1,8000}$/.test(accessToken)
      return ok({ idToken, accessToken: isToken ? accessToken : null })
    }
    const why = typeof json.error === 'string' ? json.error.slice(0, 100) : 'no id_token'
    const about = { organization_id: organization.id, issuer: provider.issuer, status, why }
    log.warn(about, 'an identity provider did not take the code of a sign-in')
    return refuse(refused('code_refused'))
  }

  #troubled(organization: Organization, { issuer }: IdentityProvider, reason: ProviderTrouble): Refusal {
    const about = { organization_id: organization.id, issuer, reason }
    this.#deps.log.warn(about, 'an identity provider gave no answer that can be used')
    return { kind: 'identity_provider_unavailable', reason }
  }
}

type Client = Pick<IdentityProvider, 'issuer' | 'client_id'>

function placeOf(organizationId: string, { issuer, client_id }: Client) {
  return { organizationId, keyId: `${issuer} ${client_id}` }
}

function hashesOf({ state, browserSecret }: ProviderClaim) {
  return { stateHash: hashSecret(state), browserHash: hashSecret(browserSecret) }
}

async function refuseInAudit(
  tx: TenantTx,
  by: AuditActor,
  userId: string | null,
  refusal: Refusal,
): Promise<Result<never, Refusal>> {
  const reason = 'reason' in refusal ? refusal.reason : refusal.kind
  await appendAudit(tx, userId === null ? by : { ...by, userId }, {
    action: 'sign_in_refused',
    ...(userId !== null && { entity: { type: 'user', id: userId } }),
    changes: { reason, by: 'identity_provider' },
  })
  return refuse(refusal)
}

function secret(): string {
  return randomBytes(32).toString('base64url')
}

/** As RFC 6749 wants the two halves of Basic: a colon or a space in them must not change their meaning. */
function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1)
}
