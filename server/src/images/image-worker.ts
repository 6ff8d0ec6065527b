import { parentPort } from 'node:worker_threads'
import type { ImageJob } from './image-maker.ts'
import { makeImage } from './make-image.ts'

/** The other end of image-maker.ts: an upload in, the files that are served out. */
parentPort!.on('message', async ({ id, job }: { id: number; job: ImageJob }) => {
  parentPort!.postMessage({ id, outcome: await makeImage(job.bytes, job.kind) })
})
