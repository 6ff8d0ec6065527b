import { parentPort } from 'node:worker_threads'
import { ok } from '@voelgoed/core/result'
import { makePdf, type TicketSheets } from './make-pdf.ts'

/** The other end of ticket-pdfs.ts: what is to be printed in, the bytes of a PDF out. */
parentPort!.on('message', async ({ id, job }: { id: number; job: TicketSheets }) => {
  const pdf = await makePdf(job)
  parentPort!.postMessage({ id, outcome: ok(pdf) })
})
