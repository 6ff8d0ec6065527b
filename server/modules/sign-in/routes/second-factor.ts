import * as contract from '@voelgoed/contract/second-factor'
import { mayManage } from '@voelgoed/core/access'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import { appendAudit } from '@voelgoed/kit/audit/audit-log'
import { qrSvg } from '@voelgoed/kit/base/qr'
import type { Answer, Call } from '@voelgoed/kit/http/call'
import type { SignedIn } from '@voelgoed/kit/http/principals'
import type { Router } from '@voelgoed/kit/http/serve'
import { inTenant } from '@voelgoed/kit/http/transactions'
import { announceOwnOrganizationChanged, announceUserChanged } from '@voelgoed/kit/postgres/announcements'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import type { Kit } from '../../module.ts'
import { lockUser } from '../../people/tables/users.ts'
import { verifyOwner } from '../new-password.ts'
import type { Judgement } from '../second-factor.ts'
import type { AccountDeps } from '../sign-in.ts'
import type { SignInMetrics } from '../sign-in-metrics.ts'
import { deleteSecondFactor, readSecondFactor, requireSecondFactor } from '../tables/second-factors.ts'
import { deleteSessionsOf } from '../tables/sessions.ts'
import { base32, totpUri } from '../totp.ts'

const NO_PERSON: Refusal = {
  kind: 'forbidden',
  required: ['support', 'organizer', 'admin'],
  detail: 'API keys have no second factor. Sign in to an account.',
}
const NOT_NOW: Refusal = { kind: 'invalid_transition', status: 'off', allowed: [] }
const ON_ALREADY: Refusal = {
  kind: 'invalid_transition',
  status: 'on',
  allowed: [],
  detail: 'There is a second factor already: turn it off first.',
}

interface Needs extends Pick<AccountDeps, 'passwords' | 'principals' | 'secondFactors'> {
  readonly metrics: SignInMetrics
}

/** The second factor of staff: set up, asked for again where it matters, taken away by an admin. */
export function serveSecondFactor(
  router: Router,
  { database, log }: Kit,
  { passwords, principals, secondFactors, metrics }: Needs,
): void {
  router.serve(contract.readSecondFactor, async ({ principal }) => {
    const state = await database.tenant(principal.scope, tx => readSecondFactor(tx, principal.user.userId))
    return ok({
      status: 200,
      body: {
        data: {
          enabled_at: state.confirmed_at?.toISOString() ?? null,
          recovery_codes_left: state.confirmed_at ? state.codes_left : 0,
          required: state.is_required,
        },
      },
    })
  })

  router.serve(contract.beginSecondFactor, async call => {
    const { principal } = call
    if (principal.isApiKey || principal.user.email === null) return refuse(NO_PERSON)
    const claim = { password: call.body.password, addressKey: call.addressKey }
    const verified = await verifyOwner({ database, passwords }, principal, claim)
    if (!verified.ok) return verified
    const { userId, email } = principal.user
    const secret = await database.tenant(principal.scope, tx => secondFactors.begin(tx, userId))
    if (secret === null) return refuse(ON_ALREADY)
    const uri = totpUri(secret, { issuer: principal.organization.name, account: email! })
    return ok({ status: 201, body: { data: { secret: base32(secret), uri, qr_svg: qrSvg(uri) } } })
  })

  router.serve(contract.confirmSecondFactor, call =>
    withCode(call, 'second_factor_on', tx =>
      secondFactors.judgeFirst(tx, call.principal.user.userId, call.body.code),
    ),
  )

  router.serve(contract.renewRecoveryCodes, call =>
    withCode(call, 'recovery_codes_renewed', tx => judgeOwn(tx, call.principal, call.body.code)),
  )

  router.serve(contract.removeSecondFactor, call =>
    withCode(call, 'second_factor_off', tx => judgeOwn(tx, call.principal, call.body.code)),
  )

  router.serve(contract.resetSecondFactor, async call => {
    const { scope, user: manager } = call.principal
    const userId = call.params.user
    const result = await inTenant(database, scope, call, async tx => {
      const user = await lockUser(tx, userId)
      if (!user) return refuse({ kind: 'user_not_found' })
      if (userId === manager.userId || !mayManage(manager.role, { from: user.role })) {
        const detail = 'Your own second factor is turned off with a code of it.'
        return refuse({ kind: 'forbidden', required: ['admin'], detail })
      }
      if (!(await deleteSecondFactor(tx, userId))) return refuse({ kind: 'not_found' })
      const ended = await deleteSessionsOf(tx, userId)
      await announceUserChanged(tx, userId)
      await appendAudit(tx, call.by, {
        action: 'second_factor_reset',
        entity: { type: 'user', id: userId },
        changes: { sessions_ended: ended },
      })
      return ok({ status: 200, body: { data: { sessions_ended: ended } } })
    })
    if (!result.ok) return result
    principals.forgetUser(scope.organizationId, userId)
    log.warn({ reqId: call.requestId, user_id: userId, by: manager.userId }, 'a second factor was reset')
    return result
  })

  router.serve(contract.requireSecondFactor, async call => {
    const { scope, user, isApiKey } = call.principal
    const { required } = call.body
    if (isApiKey) return refuse(NO_PERSON)
    const result = await inTenant(database, scope, call, async tx => {
      const own = await readSecondFactor(tx, user.userId)
      // Else the admin would be the first to be locked out.
      if (required && own.confirmed_at === null) return refuse({ kind: 'second_factor_needed' })
      if (own.is_required !== required) {
        await requireSecondFactor(tx, required)
        await announceOwnOrganizationChanged(tx)
        await appendAudit(tx, call.by, { action: 'second_factor_required', changes: { required } })
      }
      return ok({ status: 200, body: { data: { required } } })
    })
    if (result.ok) principals.forgetOrganization(scope.organizationId)
    return result
  })

  /** Null: there is no factor to show a code of. */
  async function judgeOwn(tx: TenantTx, { user }: SignedIn, code: string): Promise<Judgement | null> {
    const judged = await secondFactors.judge(tx, user.userId, code)
    return judged.ok && judged.value === 'not asked for' ? null : judged
  }

  /** A wrong code is counted, so what it writes stays written although the request is refused. */
  async function withCode(
    call: Call<
      | typeof contract.confirmSecondFactor
      | typeof contract.renewRecoveryCodes
      | typeof contract.removeSecondFactor
    >,
    action: 'second_factor_on' | 'recovery_codes_renewed' | 'second_factor_off',
    judge: (tx: TenantTx) => Promise<Judgement | null>,
  ): Promise<Result<Answer, Refusal>> {
    const { scope, user } = call.principal
    const entity = { type: 'user', id: user.userId }
    const result = await database.tenant(scope, async (tx): Promise<Result<Answer, Refusal>> => {
      const judged = await judge(tx)
      if (judged === null) return refuse(NOT_NOW)
      if (!judged.ok) {
        await appendAudit(tx, call.by, {
          action: 'second_factor_refused',
          entity,
          changes: { reason: judged.problem.kind },
        })
        return judged
      }
      const codes =
        action === 'second_factor_off' ? null : await secondFactors.newRecoveryCodes(tx, user.userId)
      if (codes === null) await deleteSecondFactor(tx, user.userId)
      await announceUserChanged(tx, user.userId)
      await appendAudit(tx, call.by, { action, entity, changes: { with: judged.value } })
      return codes === null
        ? ok({ status: 204, body: undefined })
        : ok({ status: 200, body: { data: { recovery_codes: codes } } })
    })
    metrics.signIn(action, result)
    if (result.ok) principals.forgetUser(scope.organizationId, user.userId)
    return result
  }
}
