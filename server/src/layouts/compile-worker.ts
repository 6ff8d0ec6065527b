import { parentPort } from 'node:worker_threads'
import type { CompileJob, CompileOutcome } from './compiler.ts'
import { prepareLayout } from './prepare-layout.ts'

/** The other end of compiler.ts: one job in, one outcome out. */
parentPort!.on('message', ({ id, job }: { id: number; job: CompileJob }) => {
  const outcome: CompileOutcome = prepareLayout(job)
  parentPort!.postMessage({ id, outcome })
})
