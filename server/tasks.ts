import { ok } from '@voelgoed/core/result'
import type { Task } from '@voelgoed/kit/threads/task'
import type { TicketSheets } from './modules/tickets/make-pdf.ts'

/** The tasks of threads, by the names that those who start them use. Each loads what its task needs. */
export const TASKS: Readonly<Record<string, () => Promise<Task>>> = {
  'draw-tickets': async () => {
    const { makePdf } = await import('./modules/tickets/make-pdf.ts')
    return async (sheets: TicketSheets) => ok(await makePdf(sheets))
  },
  'encode-map': async () => (await import('./modules/venues/encode-map.ts')).encodeMap,
  'encode-seats': async () => (await import('./modules/live/encode-task.ts')).encodeTask,
  'find-rows': async () => (await import('@voelgoed/engine/view/find-rows')).findRows,
  'make-images': async () => (await import('./modules/images/make-image.ts')).doImageJob,
  'prepare-layouts': async () => (await import('./modules/venues/prepare-layout.ts')).prepareLayout,
  'read-large-bodies': async () => (await import('@voelgoed/kit/http/read-large-body')).readLargeBody,
}
