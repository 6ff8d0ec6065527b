import * as contract from '@voelgoed/contract/organization'
import type { BodyOf } from '@voelgoed/contract/route'
import { isCurrency } from '@voelgoed/core/prices/currency'
import type { Refusal, RequestFault } from '@voelgoed/core/refusal'
import { isLocale, isTimeZone } from '@voelgoed/core/region'
import { ok, refuse } from '@voelgoed/core/result'
import { appendAudit } from '@voelgoed/kit/audit/audit-log'
import { uuidV7 } from '@voelgoed/kit/base/uuid-v7'
import { changedMembers } from '@voelgoed/kit/http/changed-members'
import type { Router } from '@voelgoed/kit/http/serve'
import { inTenant } from '@voelgoed/kit/http/transactions'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { brandAnswer } from '../../images/image-answer.ts'
import { deleteImage, placeImage, readBrand } from '../../images/tables/images.ts'
import type { Kit } from '../../module.ts'
import {
  type OrganizationSettings,
  readOrganization,
  updateOrganization,
  wantStripeAccount,
} from '../tables/organizations.ts'
import { readSeller } from '../tables/sellers.ts'

const timeZoneFault: RequestFault = {
  path: '/time_zone',
  message: 'must be an IANA time zone, like Africa/Johannesburg',
}

export const unknownTimeZone: Refusal = { kind: 'invalid_request', errors: [timeZoneFault] }

export interface SendsMails {
  readonly canSend: boolean
}

export function serveOrganization(router: Router, { database, clock }: Kit, mails: SendsMails): void {
  /** False: there is no such image. */
  async function setImage(
    tx: TenantTx,
    kind: 'logo' | 'cover',
    imageId: string | null | undefined,
  ): Promise<boolean> {
    if (imageId === null) await deleteImage(tx, { kind })
    if (!imageId) return true
    return placeImage(tx, { kind }, { id: uuidV7(clock.now()), imageId: imageId.toLowerCase() })
  }

  router.serve(contract.readOrganization, async ({ principal }) => {
    const data = await database.tenant(principal.scope, async tx =>
      settingsAnswer(tx, await readOrganization(tx), mails),
    )
    return ok({ status: 200, body: { data } })
  })

  router.serve(contract.updateOrganization, call =>
    inTenant(database, call.principal.scope, call, async tx => {
      const errors = faultsIn(call.body)
      if (errors.length > 0) return refuse({ kind: 'invalid_request', errors })
      const before = await readOrganization(tx, { forUpdate: true })
      const { brand = {}, ...body } = call.body
      const wanted = body.colour === undefined ? brand.colour : body.colour
      const colour = wanted === undefined ? before.colour : (wanted?.toLowerCase() ?? null)
      const after = { ...before, ...body, colour }
      await updateOrganization(tx, after)
      const images = await imageIds(tx)
      for (const kind of ['logo', 'cover'] as const) {
        if (await setImage(tx, kind, brand[`${kind}_image_id`])) continue
        return refuse({ kind: 'image_not_found' })
      }
      await appendAudit(tx, call.by, {
        action: 'organization_updated',
        changes: changedMembers({ ...before, ...images }, { ...after, ...(await imageIds(tx)) }),
      })
      return ok({ status: 200, body: { data: await settingsAnswer(tx, after, mails) } })
    }),
  )

  router.serve(contract.setStripeAccount, call =>
    inTenant(database, call.principal.scope, call, async tx => {
      const before = await readOrganization(tx, { forUpdate: true })
      const named = call.body.stripe_account
      const isDecided = named === null || named === before.stripe_account
      const after = isDecided
        ? { ...before, stripe_account: named, stripe_account_wanted: null }
        : { ...before, stripe_account_wanted: named }
      const changes = changedMembers(before, after)
      if (Object.keys(changes).length > 0) {
        await wantStripeAccount(tx, after)
        await appendAudit(tx, call.by, { action: 'stripe_account_changed', changes })
      }
      return ok({ status: 200, body: { data: await settingsAnswer(tx, after, mails) } })
    }),
  )
}

/** With its logo and its cover, which are also set by themselves (images.ts). */
async function settingsAnswer(
  tx: TenantTx,
  organization: OrganizationSettings,
  { canSend }: SendsMails,
): Promise<object> {
  const { logo, cover } = brandAnswer(await readBrand(tx))
  const brand = {
    colour: organization.colour,
    logo_image_id: logo?.image_id ?? null,
    cover_image_id: cover?.image_id ?? null,
  }
  return { ...organization, logo, cover, brand, seller: await readSeller(tx), sends_mails: canSend }
}

async function imageIds(tx: TenantTx) {
  const { logo, cover } = await readBrand(tx)
  return { logo_image_id: logo?.id ?? null, cover_image_id: cover?.id ?? null }
}

/** As browsers write them: no default port, and in the open only to this machine. */
function isOrigin(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || url.origin !== text) return false
  return url.protocol === 'https:' || ['localhost', '127.0.0.1'].includes(url.hostname)
}

function faultsIn({
  allowed_origins = [],
  colour,
  brand,
  time_zone,
  locale,
  currency,
}: BodyOf<typeof contract.updateOrganization>): RequestFault[] {
  const faults: RequestFault[] = []
  for (const [index, origin] of allowed_origins.entries()) {
    if (isOrigin(origin)) continue
    const message = 'must be an origin as browsers write it, like https://shop.example.org'
    faults.push({ path: `/allowed_origins/${index}`, message })
  }
  if (colour !== undefined && brand?.colour !== undefined) {
    faults.push({ path: '/brand/colour', message: 'must not be given together with colour' })
  }
  if (time_zone !== undefined && !isTimeZone(time_zone)) faults.push(timeZoneFault)
  if (locale !== undefined && !isLocale(locale)) {
    faults.push({ path: '/locale', message: 'must be a BCP 47 language tag, like af-ZA' })
  }
  if (currency !== undefined && !isCurrency(currency)) {
    faults.push({ path: '/currency', message: 'must be an ISO 4217 code, like ZAR' })
  }
  return faults
}
