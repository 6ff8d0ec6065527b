import type { Refusal } from '@voelgoed/core/refusal'
import type { Result } from '@voelgoed/core/result'
import type { MetricMakers } from '@voelgoed/kit/metrics/metric-makers'

/** Sign-ins, new passwords, identity providers. `lastUses`: those of API keys and sessions of staff. */
export function createSignInMetrics(
  { counter, histogram, totals }: MetricMakers,
  lastUses: () => { readonly written: number; readonly dropped: number },
) {
  const signIns = counter(
    'voelgoed_sign_ins_total',
    'Sign-ins, sign-ups, guest sessions and changes of second factors by outcome',
    ['way', 'outcome'],
  )
  const passwords = counter(
    'voelgoed_new_passwords_total',
    'Passwords changed by who knew theirs, reset by mail, and mails asked for, by outcome: ok, or the reason of the refusal',
    ['way', 'outcome'],
  )
  for (const way of ['changed', 'asked', 'reset']) passwords.inc({ way, outcome: 'ok' }, 0)
  const providerSeconds = histogram(
    'voelgoed_identity_provider_call_seconds',
    "Time of a question to an organization's identity provider, by outcome: ok, or why there is no answer",
    ['outcome'],
    [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  )
  totals(
    'voelgoed_api_key_uses_total',
    'Uses of API keys and of sessions of staff that were written as their last use, or left out because too many waited',
    'outcome',
    lastUses,
  )
  return {
    /** Returns the result that it counts. */
    signIn<R extends Result<unknown, Refusal>>(way: string, result: R): R {
      signIns.inc({ way, outcome: outcomeOf(result) })
      return result
    },
    /** The same of passwords. */
    password<R extends Result<unknown, Refusal>>(way: string, result: R): R {
      passwords.inc({ way, outcome: outcomeOf(result) })
      return result
    },
    providerAsked: (outcome: string, ms: number) => providerSeconds.observe({ outcome }, ms / 1000),
  }
}

export type SignInMetrics = ReturnType<typeof createSignInMetrics>

function outcomeOf(result: Result<unknown, Refusal>): string {
  return result.ok ? 'ok' : result.problem.kind
}
