import { parentPort } from 'node:worker_threads'
import type { DrawJob, ImageJob } from './image-maker.ts'
import { drawImage, makeImage } from './make-image.ts'

/** The other end of image-maker.ts: an upload in, the files that are served out. */
parentPort!.on('message', async ({ id, job }: { id: number; job: ImageJob | DrawJob }) => {
  const outcome = 'svg' in job ? await drawImage(job.svg) : await makeImage(job.bytes, job.kind)
  parentPort!.postMessage({ id, outcome })
})
