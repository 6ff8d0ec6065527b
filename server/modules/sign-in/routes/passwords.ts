import * as contract from '@voelgoed/contract/passwords'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import type { Answer } from '@voelgoed/kit/http/call'
import { languagesOf } from '@voelgoed/kit/http/languages-of'
import type { Router } from '@voelgoed/kit/http/serve'
import { tooMany } from '@voelgoed/kit/http/too-many'
import type { Kit } from '../../module.ts'
import { asUser } from '../../people/tables/users.ts'
import { changePassword, requestReset, resetPassword } from '../new-password.ts'
import { askForConfirmation, confirmAddress } from '../prove-address.ts'
import { type AccountDeps, openOrganization } from '../sign-in.ts'
import type { SignInMetrics } from '../sign-in-metrics.ts'
import { userAnswer } from './accounts.ts'

interface Needs extends Pick<AccountDeps, 'passwords' | 'principals'> {
  readonly metrics: SignInMetrics
}

/** New passwords, for those who know theirs and those who can read their mail; and whose an address is. */
export function servePasswords(
  router: Router,
  { database, clock, http }: Kit,
  { metrics, ...needs }: Needs,
): void {
  const deps = { database, clock, ...needs }

  router.serve(contract.changePassword, async call => {
    const { current, new: next } = call.body
    const claim = { current, next, addressKey: call.addressKey, locale: languagesOf(call) }
    return counted('changed', await changePassword(deps, call.by, call.principal, claim))
  })

  router.serve(contract.requestPasswordReset, async call => {
    const refusal = await tooMany(http, 'password_reset', call.addressKey)
    if (refusal) return counted('asked', refuse(refusal))
    const open = await openOrganization(database, call.body.organization, call.route)
    if (open.ok) {
      const ask = { organization: open.value, email: call.body.email, locale: languagesOf(call) }
      await requestReset(deps, call.by, ask)
    }
    return counted('asked', ok(null), 202)
  })

  router.serve(contract.resetPassword, async call => {
    const refusal = await tooMany(http, 'password_reset', call.addressKey)
    if (refusal) return counted('reset', refuse(refusal))
    const claim = { token: call.params.reset_token, password: call.body.password, locale: languagesOf(call) }
    return counted('reset', await resetPassword(deps, call.by, claim))
  })

  router.serve(contract.askForConfirmation, async call => {
    const refusal = await tooMany(http, 'password_reset', call.addressKey)
    if (refusal) return counted('confirmation_asked', refuse(refusal))
    const result = await askForConfirmation(deps, call.by, call.principal, languagesOf(call))
    return counted('confirmation_asked', result, 202)
  })

  router.serve(contract.confirmAddress, async call => {
    const refusal = await tooMany(http, 'password_reset', call.addressKey)
    const { principal, params } = call
    const result = refusal
      ? refuse(refusal)
      : await confirmAddress(deps, call.by, principal, params.reset_token)
    metrics.password('confirmed', result)
    return result.ok ? ok({ status: 200, body: { data: userAnswer(asUser(result.value)) } }) : result
  })

  function counted(way: string, result: Result<null, Refusal>, status = 204): Result<Answer, Refusal> {
    metrics.password(way, result)
    return result.ok ? ok({ status, body: undefined }) : result
  }
}
