import * as contract from '@voelgoed/core/contract/passwords'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import { changePassword, requestReset, resetPassword } from '../../accounts/new-password.ts'
import { openOrganization } from '../../accounts/sign-in.ts'
import type { Answer } from '../call.ts'
import type { AppDeps } from '../deps.ts'
import { languagesOf } from '../languages-of.ts'
import type { Router } from '../serve.ts'
import { tooMany } from '../too-many.ts'

type PasswordDeps = Pick<
  AppDeps,
  'database' | 'clock' | 'passwords' | 'principals' | 'config' | 'metrics' | 'addressLimits'
>

/** New passwords: for those who know theirs, and for those who can read their mail. */
export function servePasswords(router: Router, deps: PasswordDeps): void {
  router.serve(contract.changePassword, async call => {
    const { current, new: next } = call.body
    const claim = { current, next, addressKey: call.addressKey, locale: languagesOf(call) }
    return counted('changed', await changePassword(deps, call.by, call.principal, claim))
  })

  router.serve(contract.requestPasswordReset, async call => {
    const refusal = await tooMany(deps, 'password_reset', call.addressKey)
    if (refusal) return counted('asked', refuse(refusal))
    const open = await openOrganization(deps.database, call.body.organization)
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

  function counted(way: string, result: Result<null, Refusal>, status = 204): Result<Answer, Refusal> {
    deps.metrics.passwords.inc({ way, outcome: result.ok ? 'ok' : result.problem.kind })
    return result.ok ? ok({ status, body: undefined }) : result
  }
}
