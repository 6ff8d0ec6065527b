import { createHash } from 'node:crypto'
import { IMAGE_PIXELS } from '@voelgoed/contract/images'
import type { ImageFault, Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import type { Sharp, SharpInput } from 'sharp'
import type { DrawJob, ImageJob } from './image-maker.ts'
import { sniffImage } from './sniff-image.ts'
import { type ImageFile, type ImageKind, LOGO_WIDTH, type MadeImage } from './tables/images.ts'

/**
 * In pixels; no image is made larger than it is. A logo is as small as the bar that it stands in; an upload
 * may become anything.
 */
const WIDTHS: Readonly<Record<ImageKind, readonly number[]>> = {
  logo: [64, 128, LOGO_WIDTH],
  cover: [480, 960, 1600],
  event: [480, 960, 1600],
  upload: [64, 128, LOGO_WIDTH, 480, 960, 1600],
}
const PLAIN_WIDTH = 1200
const MAX_SIDE = 20_000
const MAX_SECONDS = 15

type Library = typeof import('sharp')
let library: Promise<Library['default'] | null> | null = null

/** Null: the package has no program for this machine, or it can not be loaded. */
function loadLibrary(): Promise<Library['default'] | null> {
  library ??= import('sharp').then(
    ({ default: sharp }) => {
      // Only what `sniffImage` lets through is read, also if a file turns out to be something else inside.
      sharp.block({ operation: ['VipsForeignLoad'] })
      sharp.unblock({ operation: ['Png', 'Jpeg', 'Webp', 'Heif'].map(kind => `VipsForeignLoad${kind}`) })
      sharp.concurrency(1)
      sharp.cache(false)
      return sharp
    },
    () => null,
  )
  return library
}

/** In a thread: an upload or a drawing of ours in, the files that are served out. */
export function doImageJob(job: ImageJob | DrawJob): Promise<Result<MadeImage | Uint8Array, Refusal>> {
  return 'svg' in job ? drawImage(job.svg) : makeImage(job.bytes, job.kind)
}

/** Decodes an upload once, and makes the files that are served. */
export async function makeImage(bytes: Uint8Array, kind: ImageKind): Promise<Result<MadeImage, Refusal>> {
  if (sniffImage(bytes) === null) return invalid('not_an_image')
  const sharp = await loadLibrary()
  if (!sharp) return refuse({ kind: 'images_unavailable' })
  // An upload may lie in memory that threads share, which the library does not take.
  const source = Buffer.from(bytes)
  const open = (input: SharpInput, options = {}) => sharp(input, options).timeout({ seconds: MAX_SECONDS })
  try {
    const limits = { limitInputPixels: IMAGE_PIXELS, failOn: 'error' }
    const { width, height } = await open(source, limits).metadata()
    if (width > MAX_SIDE || height > MAX_SIDE) return invalid('too_many_pixels')
    const decoded = await inside(open(source, limits).autoOrient(), WIDTHS[kind].at(-1)!)
      .toColourspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true })
    const raw = { width: decoded.info.width, height: decoded.info.height, channels: decoded.info.channels }
    return ok(await filesOf(() => open(decoded.data, { raw }), kind, raw))
  } catch (error) {
    return invalid(/pixel limit/.test((error as Error).message) ? 'too_many_pixels' : 'damaged')
  }
}

/** As wide and high as messengers show it. */
const SHARED = { width: 1200, height: 630, fit: 'cover' } as const
const READS_SVG = { operation: ['VipsForeignLoadSvg'] }

/**
 * A picture that we drew, as JPEG. The reader of SVG is switched on for it alone: the thread has one job at a
 * time, so no upload is read meanwhile.
 */
export async function drawImage(svg: string): Promise<Result<Uint8Array, Refusal>> {
  const sharp = await loadLibrary()
  if (!sharp) return refuse({ kind: 'images_unavailable' })
  sharp.unblock(READS_SVG)
  try {
    const image = sharp(Buffer.from(svg), { density: 144 }).timeout({ seconds: MAX_SECONDS })
    return ok(await image.resize(SHARED).flatten(WHITE).jpeg({ quality: 82 }).toBuffer())
  } catch {
    return refuse({ kind: 'images_unavailable' })
  } finally {
    sharp.block(READS_SVG)
  }
}

async function filesOf(
  open: () => Sharp,
  kind: ImageKind,
  { width, height }: { width: number; height: number },
): Promise<MadeImage> {
  const files: ImageFile[] = []
  const widths: number[] = []
  for (const wanted of WIDTHS[kind]) {
    const { data, info } = await inside(open(), wanted)
      .webp({ quality: 80 })
      .toBuffer({ resolveWithObject: true })
    // Several sizes of an image that is narrower than the widest would be the same.
    if (widths.includes(info.width)) continue
    widths.push(info.width)
    files.push({ name: `${info.width}.webp`, bytes: data })
  }
  if (kind === 'logo' || kind === 'upload') {
    const png = inside(open(), LOGO_WIDTH).png({ palette: true })
    files.push({ name: 'plain.png', bytes: await png.toBuffer() })
  }
  if (kind !== 'logo') {
    const jpeg = inside(open(), PLAIN_WIDTH).flatten(WHITE).jpeg({ quality: 82 })
    files.push({ name: 'plain.jpg', bytes: await jpeg.toBuffer() })
  }
  const hash = createHash('sha256')
  for (const file of files) hash.update(file.name).update(createHash('sha256').update(file.bytes).digest())
  const colour = await open().flatten(WHITE).resize(1, 1, { fit: 'fill' }).raw().toBuffer()
  return {
    hash: hash.digest('base64url').slice(0, 22),
    width,
    height,
    colour: `#${colour.subarray(0, 3).toString('hex')}`,
    widths,
    files,
  }
}

const WHITE = { background: '#ffffff' }

/** A tall image is bounded by its height. */
function inside(image: Sharp, width: number): Sharp {
  return image.resize({ width, height: width * 2, fit: 'inside', withoutEnlargement: true })
}

function invalid(reason: ImageFault): Result<never, Refusal> {
  return refuse({ kind: 'image_invalid', reason })
}
