import * as contract from '@voelgoed/contract/identity-provider'
import type { BodyOf } from '@voelgoed/contract/route'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import { appendAudit } from '@voelgoed/kit/audit/audit-log'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import type { Answer } from '@voelgoed/kit/http/call'
import { changedMembers } from '@voelgoed/kit/http/changed-members'
import type { Principals } from '@voelgoed/kit/http/principals'
import { RateLimit } from '@voelgoed/kit/http/rate-limit'
import type { Router } from '@voelgoed/kit/http/serve'
import { tooMany } from '@voelgoed/kit/http/too-many'
import { inTenant } from '@voelgoed/kit/http/transactions'
import { announceOwnOrganizationChanged, announceUserChanged } from '@voelgoed/kit/postgres/announcements'
import type { Kit } from '../../module.ts'
import { lockUser, readPassword, unlinkUser } from '../../people/tables/users.ts'
import type { IdentityProviders } from '../oidc/identity-providers.ts'
import { openOrganization } from '../sign-in.ts'
import type { SignInMetrics } from '../sign-in-metrics.ts'
import {
  deleteIdentityProvider,
  type IdentityProvider,
  readIdentityProvider,
  writeIdentityProvider,
} from '../tables/identity-providers.ts'
import { readSecondFactor } from '../tables/second-factors.ts'
import { deleteSessionsOf } from '../tables/sessions.ts'
import { sessionAnswer } from './accounts.ts'

/** An admin who tries settings out; it bounds what the server asks of others for them. */
const TESTS = { count: 10, windowMs: 60_000 }
const BAD_ISSUER: Refusal = {
  kind: 'invalid_request',
  errors: [
    {
      path: '/issuer',
      message: 'must be an https address on the public internet, without query or password',
    },
  ],
}
const SECRET_NEEDED: Refusal = {
  kind: 'invalid_request',
  errors: [{ path: '/client_secret', message: 'is needed for another issuer or client_id' }],
}

const OWN_PASSWORD_NEEDED: Refusal = {
  kind: 'invalid_request',
  errors: [
    {
      path: '/password_sign_in',
      message: 'needs a password of your own, for the day on which the provider is down: ask for one by mail',
    },
  ],
}

interface Needs {
  readonly principals: Principals
  readonly identityProviders: IdentityProviders
  readonly metrics: SignInMetrics
  readonly sendsMails: () => boolean
}

/** The organization's own identity provider: its settings, and signing in with it. */
export function serveIdentityProvider(
  router: Router,
  { database, clock, http, log }: Kit,
  { principals, identityProviders, metrics, sendsMails }: Needs,
): void {
  const tests = new RateLimit(clock, TESTS)

  router.serve(contract.readIdentityProvider, async ({ principal }) => {
    const provider = await database.tenant(principal.scope, tx => readIdentityProvider(tx))
    return settingsAnswer(provider, principal.organization)
  })

  router.serve(contract.setIdentityProvider, async call => {
    const { scope, user, organization } = call.principal
    const { client_secret: secret, ...given } = call.body
    if (!identityProviders.mayBeAt(given.issuer)) return refuse(BAD_ISSUER)
    const result = await inTenant(database, scope, call, async tx => {
      const before = await readIdentityProvider(tx, { forUpdate: true })
      const isSameClient = before?.issuer === given.issuer && before.client_id === given.client_id
      if (secret === undefined && !isSameClient) return refuse(SECRET_NEEDED)
      // Else the admin would be locked out as soon as the provider is down.
      const isTurnedOff = !given.password_sign_in && (before?.password_sign_in ?? true)
      if (isTurnedOff && (await readSecondFactor(tx, user.userId)).confirmed_at === null) {
        return refuse({ kind: 'second_factor_needed' })
      }
      if (isTurnedOff && (await readPassword(tx, user.userId)) === null) return refuse(OWN_PASSWORD_NEEDED)
      const sealed =
        secret === undefined
          ? before!.sealed_secret
          : identityProviders.sealSecret(scope.organizationId, given, secret)
      const after = providerOf(given, sealed)
      await writeIdentityProvider(tx, after)
      await announceOwnOrganizationChanged(tx)
      await appendAudit(tx, call.by, {
        action: 'identity_provider_set',
        changes: {
          ...changedMembers(before ? shownOf(before) : {}, shownOf(after)),
          ...(secret !== undefined && { client_secret: 'replaced' }),
        },
      })
      return settingsAnswer(after, organization)
    })
    if (!result.ok) return result
    principals.forgetOrganization(scope.organizationId)
    const about = { organization_id: scope.organizationId, issuer: given.issuer, user_id: user.userId }
    log.info({ reqId: call.requestId, ...about }, 'the identity provider of an organization was set')
    return result
  })

  router.serve(contract.removeIdentityProvider, async call => {
    const { scope } = call.principal
    const result = await inTenant(database, scope, call, async tx => {
      if (!(await deleteIdentityProvider(tx))) return refuse({ kind: 'not_found' })
      await announceOwnOrganizationChanged(tx)
      await appendAudit(tx, call.by, { action: 'identity_provider_removed' })
      return ok({ status: 204, body: undefined })
    })
    if (result.ok) principals.forgetOrganization(scope.organizationId)
    return result
  })

  router.serve(contract.testIdentityProvider, async ({ principal, body }) => {
    const wait = tests.take(principal.scope.organizationId)
    if (wait !== null) return refuse({ kind: 'rate_limited', retryAfterSeconds: wait })
    if (!identityProviders.mayBeAt(body.issuer)) return refuse(BAD_ISSUER)
    const tested = await identityProviders.test(body.issuer)
    if (!tested.ok) return refuse({ kind: 'identity_provider_unavailable', reason: tested.problem })
    const { metadata, keys } = tested.value
    return ok({
      status: 200,
      body: {
        data: {
          authorization_endpoint: metadata.authorizationEndpoint,
          token_endpoint: metadata.tokenEndpoint,
          keys,
        },
      },
    })
  })

  router.serve(contract.unlinkUser, async call => {
    const { scope } = call.principal
    const userId = call.params.user
    const result = await inTenant(database, scope, call, async tx => {
      if (!(await lockUser(tx, userId))) return refuse({ kind: 'user_not_found' })
      if ((await unlinkUser(tx, userId)) === 0) return refuse({ kind: 'not_found' })
      const ended = await deleteSessionsOf(tx, userId)
      await announceUserChanged(tx, userId)
      await appendAudit(tx, call.by, {
        action: 'account_unlinked',
        entity: { type: 'user', id: userId },
        changes: { sessions_ended: ended },
      })
      return ok({ status: 200, body: { data: { sessions_ended: ended } } })
    })
    if (result.ok) principals.forgetUser(scope.organizationId, userId)
    return result
  })

  router.serve(contract.readSignInWays, async ({ query, route }) => {
    const open = await openOrganization(database, query.organization, route)
    if (!open.ok) return open
    const provider = await database.tenant(TenantScope.of(open.value.id), tx => readIdentityProvider(tx))
    return ok({
      status: 200,
      body: {
        data: {
          password: provider?.password_sign_in ?? true,
          provider: provider && { name: provider.name },
          sends_mails: sendsMails(),
        },
      },
    })
  })

  router.serve(contract.beginProviderSignIn, async call => {
    const refusal = await tooMany(http, 'sign_in_all', call.addressKey)
    if (refusal) return counted(refuse(refusal))
    const open = await openOrganization(database, call.body.organization, call.route)
    if (!open.ok) return counted(open)
    const begun = await identityProviders.begin(open.value)
    if (!begun.ok) return counted(begun)
    const { authorizationUrl, browserSecret } = begun.value
    return ok({
      status: 201,
      body: { data: { authorization_url: authorizationUrl, browser_secret: browserSecret } },
    })
  })

  router.serve(contract.finishProviderSignIn, async call => {
    const { organization, browser_secret: browserSecret, second_factor: secondFactor, ...rest } = call.body
    const refusal = await tooMany(http, 'sign_in_all', call.addressKey)
    if (refusal) return counted(refuse(refusal))
    const open = await openOrganization(database, organization, call.route)
    if (!open.ok) return counted(open)
    const claim = { ...rest, organization: open.value, browserSecret, secondFactor }
    const result = sessionAnswer(await identityProviders.finish(call.by, claim))
    if (result.ok && http.rateLimits) http.addressLimits.giveBack('sign_in_all', call.addressKey)
    return counted(result)
  })

  function counted(result: Result<Answer, Refusal>): Result<Answer, Refusal> {
    return metrics.signIn('provider', result)
  }

  function settingsAnswer(
    provider: IdentityProvider | null,
    organization: { readonly slug: string },
  ): Result<Answer, never> {
    const redirectUri = identityProviders.redirectUri(organization)
    return ok({
      status: 200,
      body: { data: { provider: provider && shownOf(provider), redirect_uri: redirectUri } },
    })
  }
}

type Given = Omit<BodyOf<typeof contract.setIdentityProvider>, 'client_secret'>

function providerOf(
  { counts_as_second_factor: isStrong, ...given }: Given,
  sealedSecret: Buffer,
): IdentityProvider {
  return { ...given, is_strong: isStrong, sealed_secret: sealedSecret }
}

function shownOf({ sealed_secret: _sealed, is_strong: isStrong, ...shown }: IdentityProvider): Given {
  return { ...shown, email_domains: [...shown.email_domains], counts_as_second_factor: isStrong }
}
