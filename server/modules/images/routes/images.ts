import * as contract from '@voelgoed/contract/images'
import type { EventId } from '@voelgoed/core/ids'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import { appendAudit } from '@voelgoed/kit/audit/audit-log'
import { uuidV7 } from '@voelgoed/kit/base/uuid-v7'
import type { Answer, Call } from '@voelgoed/kit/http/call'
import type { SignedIn } from '@voelgoed/kit/http/principals'
import type { Router } from '@voelgoed/kit/http/serve'
import { inTenant, storedAnswer } from '@voelgoed/kit/http/transactions'
import { AskTogether } from '@voelgoed/kit/postgres/ask-together'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import type { Kit } from '../../module.ts'
import { imageAddress, plainFile } from '../image-address.ts'
import { brandAnswer, imageAnswer, imageFileAnswer } from '../image-answer.ts'
import type { ImageFiles } from '../image-files.ts'
import type { ImageMaker } from '../image-maker.ts'
import {
  countUploads,
  deleteImage,
  findImage,
  type ImagePlace,
  insertImage,
  readBrand,
  replaceImage,
  type StoredImage,
} from '../tables/images.ts'

/** Images belong to organizations and to events, which stand above them in the house. */
export interface OwnersOfImages {
  lockOrganization(tx: TenantTx): Promise<unknown>
  /** Returns why the event can't have another image now; null: it can. */
  refusalOfEvent(tx: TenantTx, eventId: EventId, wishes: { readonly lock: boolean }): Promise<Refusal | null>
}

interface Needs {
  readonly imageMaker: ImageMaker
  readonly files: ImageFiles
  readonly owners: OwnersOfImages
}

/** Staff upload pictures of events and of brands. */
export function serveImages(
  router: Router,
  { database, clock, log }: Kit,
  { imageMaker, files, owners }: Needs,
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
    // An image for which there is no room is not decoded; they are counted again under the lock.
    if ((await database.tenant(scope, countUploads)) >= contract.UPLOADS) return refuse(TOO_MANY_UPLOADS)
    const made = await imageMaker.make({ bytes: call.bytes, kind: 'upload' }, scope.organizationId)
    if (!made.ok) return made
    const id = uuidV7(clock.now())
    const { hash, width, height, widths, colour } = made.value
    return inTenant(database, scope, call, async tx => {
      await owners.lockOrganization(tx)
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
    // A place that can have no image is refused before the image is decoded, and judged again under the lock.
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

  async function refusalOf(tx: TenantTx, place: ImagePlace, { lock = false } = {}): Promise<Refusal | null> {
    if (place.kind === 'event') return owners.refusalOfEvent(tx, place.eventId, { lock })
    if (lock) await owners.lockOrganization(tx)
    return null
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

function entityOf(place: ImagePlace, organizationId: string) {
  return place.kind === 'event'
    ? { entity: { type: 'event', id: place.eventId } }
    : { entity: { type: 'organization', id: organizationId } }
}
