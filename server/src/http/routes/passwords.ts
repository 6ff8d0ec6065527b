import * as contract from '@voelgoed/core/contract/passwords'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import { changePassword, requestReset, resetPassword } from '../../accounts/new-password.ts'
import { askForConfirmation, confirmAddress } from '../../accounts/prove-address.ts'
import { openOrganization } from '../../accounts/sign-in.ts'
import { asUser } from '../../postgres/tables/users.ts'
import type { Answer } from '../call.ts'
import type { AppDeps } from '../deps.ts'
import { languagesOf } from '../languages-of.ts'
import type { Router } from '../serve.ts'
import { tooMany } from '../too-many.ts'
import { userAnswer } from './accounts.ts'

type PasswordDeps = Pick<
  AppDeps,
  'database' | 'clock' | 'passwords' | 'principals' | 'config' | 'metrics' | 'addressLimits'
>

/** New passwords, for those who know theirs and those who can read their mail; and whose an address is. */
export function servePasswords(router: Router, deps: PasswordDeps): void {
  router.serve(contract.changePassword, async call => {
    const { current, new: next } = call.body
    const claim = { current, next, addressKey: call.addressKey, locale: languagesOf(call) }
    return counted('changed', await changePassword(deps, call.by, call.principal, claim))
  })

  router.serve(contract.requestPasswordReset, async call => {
    const refusal = await tooMany(deps, 'password_reset', call.addressKey)
    if (refusal) return counted('asked', refuse(refusal))
    const open = await openOrganization(deps.database, call.body.organization, call.route)
    if (open.ok) {
      const ask = { organization: open.value, email: call.body.email, locale: languagesOf(call) }
      await requestReset(deps, call.by, ask)
    }
    return counted('asked', ok(null), 202)
  })

  router.serve(contract.resetPassword, async call => {
    const refusal = await tooMany(deps, 'password_reset', call.addressKey)
    if (refusal) return counted('reset', refuse(refusal))
    const claim = { token: call.params.reset_token, password: call.body.password, locale: languagesOf(call) }
    return counted('reset', await resetPassword(deps, call.by, claim))
  })

  router.serve(contract.askForConfirmation, async call => {
    const refusal = await tooMany(deps, 'password_reset', call.addressKey)
    if (refusal) return counted('confirmation_asked', refuse(refusal))
    const result = await askForConfirmation(deps, call.by, call.principal, languagesOf(call))
    return counted('confirmation_asked', result, 202)
  })

  router.serve(contract.confirmAddress, async call => {
    const refusal = await tooMany(deps, 'password_reset', call.addressKey)
    const { principal, params } = call
    const result = refusal
      ? refuse(refusal)
      : await confirmAddress(deps, call.by, principal, params.reset_token)
    deps.metrics.passwords.inc({ way: 'confirmed', outcome: result.ok ? 'ok' : result.problem.kind })
    return result.ok ? ok({ status: 200, body: { data: userAnswer(asUser(result.value)) } }) : result
  })

  function counted(way: string, result: Result<null, Refusal>, status = 204): Result<Answer, Refusal> {
    deps.metrics.passwords.inc({ way, outcome: result.ok ? 'ok' : result.problem.kind })
    return result.ok ? ok({ status, body: undefined }) : result
  }
}
