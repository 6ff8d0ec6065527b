import * as contract from '@voelgoed/contract/accounts'
import { isStaff } from '@voelgoed/core/access'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import type { Answer, Call } from '@voelgoed/kit/http/call'
import { languagesOf } from '@voelgoed/kit/http/languages-of'
import type { SignedIn, User } from '@voelgoed/kit/http/principals'
import { type Router, SITE_NOT_ALLOWED } from '@voelgoed/kit/http/serve'
import { tooMany } from '@voelgoed/kit/http/too-many'
import { inTenant } from '@voelgoed/kit/http/transactions'
import type { Kit } from '../../module.ts'
import {
  type AccountDeps,
  createAccount,
  hasSignedInFrom,
  type NewSession,
  openOrganization,
  signIn,
  signOut,
  startGuestSession,
} from '../sign-in.ts'
import type { SignInMetrics } from '../sign-in-metrics.ts'

interface Needs extends Pick<AccountDeps, 'passwords' | 'principals' | 'secondFactors'> {
  readonly metrics: SignInMetrics
}

/** Refusals of a sign-in that was no wrong guess. */
const NO_GUESS: ReadonlySet<Refusal['kind']> = new Set(['busy', 'second_factor_required'])

export function serveAccounts(
  router: Router,
  { database, clock, http }: Kit,
  { metrics, ...needs }: Needs,
): void {
  const deps: AccountDeps = { database, clock, ...needs }
  const counted = metrics.signIn

  router.serve(contract.signIn, async call => counted('password', sessionAnswer(await limitedSignIn(call))))

  /**
   * Wrong passwords are limited by address. People who share it and know theirs are not, nor are those who
   * signed in from it before, however many others guess there: a limit of their own bounds what they guess,
   * by account and address (sign-in.ts). A password that was not looked at, because too many wait, does not
   * count. A sign-in to an organization that does not exist looks at none: it has a limit of its own.
   */
  async function limitedSignIn(call: Call<typeof contract.signIn>): Promise<Result<NewSession, Refusal>> {
    const { addressKey } = call
    const tooManyInAll = await tooMany(http, 'sign_in_all', addressKey)
    if (tooManyInAll) return refuse(tooManyInAll)
    const open = await openOrganization(database, call.body.organization, call.route)
    if (!open.ok) return refuse((await tooMany(http, 'sign_in_elsewhere', addressKey)) ?? open.problem)
    const claim = { ...call.body, organization: open.value, addressKey }
    const tooManyWrong = await tooMany(http, 'sign_in', addressKey)
    if (tooManyWrong && !(await hasSignedInFrom(database, claim))) return refuse(tooManyWrong)
    const result = await signIn(deps, call.by, claim)
    if (!http.rateLimits) return result
    if (result.ok) http.addressLimits.giveBack('sign_in_all', addressKey)
    const wasWrong = !result.ok && !NO_GUESS.has(result.problem.kind)
    if (!wasWrong && !tooManyWrong) http.addressLimits.giveBack('sign_in', addressKey)
    return result
  }

  router.serve(contract.signUp, async call => {
    const refusal = await tooMany(http, 'sign_up', call.addressKey)
    if (refusal) return counted('sign_up', refuse(refusal))
    const open = await openOrganization(database, call.body.organization, call.route)
    if (!open.ok) return counted('sign_up', open)
    const organization = open.value
    const passwordHash = await needs.passwords.hash(call.body.password)
    if (passwordHash === null) return counted('sign_up', refuse({ kind: 'busy', retryAfterSeconds: 1 }))
    const result = await inTenant(database, TenantScope.of(organization.id), call, async tx =>
      sessionAnswer(
        await createAccount(deps, tx, call.by, {
          organization,
          email: call.body.email,
          passwordHash,
          addressKey: call.addressKey,
          locale: languagesOf(call),
        }),
      ),
    )
    return counted('sign_up', result)
  })

  router.serve(contract.startGuestSession, async call => {
    if (call.site && !call.site.slugs.has(call.body.organization)) {
      return counted('guest', refuse(SITE_NOT_ALLOWED))
    }
    const refusal = await tooMany(http, 'guest', call.addressKey)
    if (refusal) return counted('guest', refuse(refusal))
    const open = await openOrganization(database, call.body.organization, call.route)
    if (!open.ok) return counted('guest', open)
    return counted('guest', sessionAnswer(await startGuestSession(deps, call.by, open.value)))
  })

  router.serve(contract.whoAmI, ({ principal }) =>
    ok({
      status: 200,
      body: {
        data: {
          expires_at: principal.isApiKey ? null : new Date(principal.expiresAt).toISOString(),
          user: userAnswer(principal.user),
          organization: { id: principal.scope.organizationId, ...principal.organization },
          suspension: suspensionFor(principal),
        },
      },
    }),
  )

  router.serve(contract.signOut, async call => {
    if (call.principal.isApiKey) {
      const detail = 'An API key has no session to end. An admin can delete the key.'
      return refuse({ kind: 'forbidden', required: ['admin'], detail })
    }
    await signOut(deps, call.by, call.principal)
    return ok({ status: 204, body: undefined })
  })
}

function suspensionFor({ suspension, user }: SignedIn): object | null {
  if (!suspension) return null
  return { since: suspension.since.toISOString(), reason: isStaff(user.role) ? suspension.reason : null }
}

export function userAnswer(user: User): object {
  return {
    id: user.userId,
    email: user.email,
    email_proven: user.isEmailProven,
    role: user.role,
    membership_tier: user.membershipTier,
    membership_status: user.membershipStatus,
  }
}

export function sessionAnswer(result: Result<NewSession, Refusal>): Result<Answer, Refusal> {
  if (!result.ok) return result
  const { token, expiresAt, user, organization } = result.value
  return ok({
    status: 201,
    body: {
      data: { token, expires_at: new Date(expiresAt).toISOString(), user: userAnswer(user), organization },
    },
  })
}
