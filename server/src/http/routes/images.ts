import * as contract from '@voelgoed/core/contract/images'
import type { EventId } from '@voelgoed/core/ids'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import type { SignedIn } from '../../accounts/principals.ts'
import { isOpen, notNow } from '../../events/change-event.ts'
import { imageAddress, plainFile } from '../../image-address.ts'
import { AskTogether } from '../../postgres/ask-together.ts'
import type { TenantTx } from '../../postgres/database.ts'
import { appendAudit } from '../../postgres/tables/audit-log.ts'
import { findEvent, lockEvent } from '../../postgres/tables/events.ts'
import {
  countUploads,
  deleteImage,
  findImage,
  type ImagePlace,
  insertImage,
  readBrand,
  replaceImage,
  type StoredImage,
} from '../../postgres/tables/images.ts'
import { readOrganization } from '../../postgres/tables/organizations.ts'
import { uuidV7 } from '../../uuid-v7.ts'
import { brandAnswer, imageAnswer, imageFileAnswer } from '../answers/image-answer.ts'
import type { Answer, Call } from '../call.ts'
import type { AppDeps } from '../deps.ts'
import type { Router } from '../serve.ts'
import type { ImageFiles } from '../share/image-files.ts'
import { inTenant, storedAnswer } from '../transactions.ts'

/** Pictures of events and of brands: uploads of staff. What serves them is share/image-files.ts. */
export function serveImages(
  router: Router,
  { database, imageMaker, clock, log }: Pick<AppDeps, 'database' | 'imageMaker' | 'clock' | 'log'>,
  files: ImageFiles,
): void {
  const brands = new AskTogether(database, async (tx, keys) => new Map([[keys[0]!, await readBrand(tx)]]))
  router.serve(contract.readBrand, async ({ principal: { scope } }) => {
    const brand = await brands.ask(scope, 'brand')
    return ok({ status: 200, body: { data: brandAnswer(brand!) } })
  })

  for (const kind of ['logo', 'cover'] as const) {
    const [set, remove] =
      kind === 'logo'
        ? ([contract.setLogo, contract.deleteLogo] as const)
        : ([contract.setCover, contract.deleteCover] as const)
    router.serve(set, call => store(call as unknown as ImageCall, { kind }), { rawBody: true })
    router.serve(remove, call => removeImage(call as unknown as ImageCall, { kind }))
  }
  router.serve(contract.setEventImage, call => store(call as unknown as ImageCall, placeOf(call)), {
    rawBody: true,
  })
  router.serve(contract.deleteEventImage, call => removeImage(call as unknown as ImageCall, placeOf(call)))

  router.serve(contract.uploadImage, call => upload(call), { rawBody: true })

  const stored = new AskTogether(database, async (tx, ids) => {
    const images = await Promise.all(ids.map(id => findImage(tx, id)))
    return new Map(images.flatMap((image, at): [string, StoredImage][] => (image ? [[ids[at]!, image]] : [])))
  })
  router.serve(contract.readImage, async ({ principal: { scope }, params, headers }) => {
    const image = await stored.ask(scope, params.image)
    if (!image) return refuse({ kind: 'image_not_found' })
    const { name, type } = plainFile(image)
    const bytes = await files.find(scope, image.hash, name)
    if (!bytes) return refuse({ kind: 'image_not_found' })
    return ok(imageFileAnswer(headers, { etag: `"${image.hash}-${name}"`, type, bytes }))
  })

  async function upload(call: Call<typeof contract.uploadImage>): Promise<Result<Answer, Refusal>> {
    const { scope, organization } = call.principal
    const known = await storedAnswer(database, scope, call)
    if (known) return known
    // What can not be stored is not decoded; it is counted again under the lock.
    if ((await database.tenant(scope, countUploads)) >= contract.UPLOADS) return refuse(TOO_MANY_UPLOADS)
    const made = await imageMaker.make({ bytes: call.bytes, kind: 'upload' }, scope.organizationId)
    if (!made.ok) return made
    const id = uuidV7(clock.now())
    const { hash, width, height, widths, colour } = made.value
    return inTenant(database, scope, call, async tx => {
      await readOrganization(tx, { forUpdate: true })
      if ((await countUploads(tx)) >= contract.UPLOADS) return refuse(TOO_MANY_UPLOADS)
      await insertImage(tx, { kind: 'upload' }, { id, ...made.value })
      await appendAudit(tx, call.by, {
        action: 'image_uploaded',
        entity: { type: 'image', id },
        changes: { hash, width, height },
      })
      const image: StoredImage = {
        id,
        slug: organization.slug,
        kind: 'upload',
        hash,
        width,
        height,
        colour,
        widths,
        plain: 'plain.jpg',
      }
      const url = imageAddress(image, image.plain)
      return ok({ status: 201, body: { data: { ...imageAnswer(image), url } } })
    })
  }

  async function store(call: ImageCall, place: ImagePlace): Promise<Result<Answer, Refusal>> {
    const { scope, organization } = call.principal
    // What can not have an image is refused before the image is decoded, and judged again under the lock.
    const refused = await database.tenant(scope, tx => refusalOf(tx, place))
    if (refused) return refuse(refused)
    const made = await imageMaker.make({ bytes: call.bytes, kind: place.kind }, scope.organizationId)
    if (!made.ok) return made
    const id = uuidV7(clock.now())
    const image = made.value
    const result = await inTenant(database, scope, call, async tx => {
      const refusal = await refusalOf(tx, place, { lock: true })
      if (refusal) return refuse(refusal)
      await replaceImage(tx, place, { id, ...image })
      await appendAudit(tx, call.by, {
        action: 'image_set',
        ...entityOf(place, scope.organizationId),
        changes: { kind: place.kind, hash: image.hash, width: image.width, height: image.height },
      })
      const plain = place.kind === 'logo' ? 'plain.png' : 'plain.jpg'
      const stored = { id, slug: organization.slug, kind: place.kind, plain, ...image }
      return ok({ status: 200, body: { data: imageAnswer(stored) } })
    })
    const bytes = image.files.reduce((sum, file) => sum + file.bytes.length, 0)
    if (result.ok)
      log.info(
        { organization_id: scope.organizationId, ...place, from: call.bytes.length, bytes },
        'image stored',
      )
    return result
  }

  function removeImage(call: ImageCall, place: ImagePlace): Promise<Result<Answer, Refusal>> {
    const { scope } = call.principal
    return inTenant(database, scope, call, async tx => {
      const refusal = await refusalOf(tx, place, { lock: true })
      if (refusal) return refuse(refusal)
      const deleted = await deleteImage(tx, place)
      if (deleted) {
        await appendAudit(tx, call.by, {
          action: 'image_deleted',
          ...entityOf(place, scope.organizationId),
          changes: { kind: place.kind, hash: deleted.hash },
        })
      }
      return ok({ status: 204, body: undefined })
    })
  }
}

const TOO_MANY_UPLOADS: Refusal = {
  kind: 'quota_exceeded',
  limit: contract.UPLOADS,
  quota: 'uploads',
  detail:
    'So many uploads wait for an event or a brand that names them. They are deleted a day after they came.',
}

type ImageCall = Call & { readonly principal: SignedIn }

function placeOf(call: { readonly params: { readonly event: string } }): ImagePlace {
  return { kind: 'event', eventId: call.params.event as EventId }
}

async function refusalOf(tx: TenantTx, place: ImagePlace, { lock = false } = {}): Promise<Refusal | null> {
  if (place.kind !== 'event') {
    if (lock) await readOrganization(tx, { forUpdate: true })
    return null
  }
  const event = await (lock ? lockEvent : findEvent)(tx, place.eventId)
  if (!event) return { kind: 'event_not_found' }
  return isOpen(event) ? null : notNow(event)
}

function entityOf(place: ImagePlace, organizationId: string) {
  return place.kind === 'event'
    ? { entity: { type: 'event', id: place.eventId } }
    : { entity: { type: 'organization', id: organizationId } }
}
