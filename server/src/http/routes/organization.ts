import * as contract from '@voelgoed/core/contract/organization'
import type { BodyOf } from '@voelgoed/core/contract/route'
import { isCurrency } from '@voelgoed/core/prices/currency'
import type { Refusal, RequestFault } from '@voelgoed/core/refusal'
import { isLocale, isTimeZone } from '@voelgoed/core/region'
import { ok, refuse } from '@voelgoed/core/result'
import { appendAudit } from '../../postgres/tables/audit-log.ts'
import {
  readOrganization,
  updateOrganization,
  writeStripeAccount,
} from '../../postgres/tables/organizations.ts'
import { changedMembers } from '../changed-members.ts'
import type { AppDeps } from '../deps.ts'
import type { Router } from '../serve.ts'
import { inTenant } from '../transactions.ts'

const timeZoneFault: RequestFault = {
  path: '/time_zone',
  message: 'must be an IANA time zone, like Africa/Johannesburg',
}

export const unknownTimeZone: Refusal = { kind: 'invalid_request', errors: [timeZoneFault] }

export function serveOrganization(router: Router, { database }: Pick<AppDeps, 'database'>): void {
  router.serve(contract.readOrganization, async ({ principal }) => {
    const organization = await database.tenant(principal.scope, tx => readOrganization(tx))
    return ok({ status: 200, body: { data: organization } })
  })

  router.serve(contract.updateOrganization, call =>
    inTenant(database, call.principal.scope, call, async tx => {
      const errors = faultsIn(call.body)
      if (errors.length > 0) return refuse({ kind: 'invalid_request', errors })
      const before = await readOrganization(tx, { forUpdate: true })
      const after = { ...before, ...call.body }
      await updateOrganization(tx, after)
      await appendAudit(tx, call.by, {
        action: 'organization_updated',
        changes: changedMembers(before, after),
      })
      return ok({ status: 200, body: { data: after } })
    }),
  )

  router.serve(contract.setStripeAccount, call =>
    inTenant(database, call.principal.scope, call, async tx => {
      const before = await readOrganization(tx, { forUpdate: true })
      const after = { ...before, stripe_account: call.body.stripe_account }
      if (before.stripe_account !== after.stripe_account) {
        await writeStripeAccount(tx, after.stripe_account)
        await appendAudit(tx, call.by, {
          action: 'stripe_account_changed',
          changes: changedMembers(before, after),
        })
      }
      return ok({ status: 200, body: { data: after } })
    }),
  )
}

function faultsIn({
  time_zone,
  locale,
  currency,
}: BodyOf<typeof contract.updateOrganization>): RequestFault[] {
  const faults: RequestFault[] = []
  if (time_zone !== undefined && !isTimeZone(time_zone)) faults.push(timeZoneFault)
  if (locale !== undefined && !isLocale(locale)) {
    faults.push({ path: '/locale', message: 'must be a BCP 47 language tag, like af-ZA' })
  }
  if (currency !== undefined && !isCurrency(currency)) {
    faults.push({ path: '/currency', message: 'must be an ISO 4217 code, like ZAR' })
  }
  return faults
}
