import {
  type OwnReadsFigures,
  type OwnReadsOrder,
  type ReadsFigures,
  type ReadsOrder,
  runOwnReads,
  runReads,
} from './carts.ts'
import { type CheckoutFigures, type CheckoutsOrder, runCheckouts } from './checkouts.ts'
import { type ClosedLoopFigures, type ClosedLoopOrder, runClosedLoop } from './closed-loop.ts'
import { type CrowdFigures, type CrowdOrder, runCrowd } from './crowd.ts'
import { Readers, type ReadersOrder, type ReadFigures } from './readers.ts'
import { runScans, type ScanFigures, type ScansOrder } from './scans.ts'

/** A process that makes load takes these orders (see stage/generator.ts). */
export interface Orders {
  closedLoop: { order: ClosedLoopOrder; figures: ClosedLoopFigures }
  ownReads: { order: OwnReadsOrder; figures: OwnReadsFigures }
  reads: { order: ReadsOrder; figures: ReadsFigures }
  scans: { order: ScansOrder; figures: ScanFigures }
  checkouts: { order: CheckoutsOrder; figures: CheckoutFigures }
  crowd: { order: CrowdOrder; figures: CrowdFigures }
  openReaders: { order: ReadersOrder; figures: { seconds: number } }
  /** Once they have all heard of a seq, or nothing has come for a while. */
  closeReaders: { order: { seq: number }; figures: ReadFigures }
}

type Told = { [Kind in keyof Orders]: { id: number; kind: Kind; order: Orders[Kind]['order'] } }[keyof Orders]

let readers: Readers | null = null

process.on('message', async (told: Told) => {
  try {
    process.send!({ id: told.id, figures: await carryOut(told) })
  } catch (error) {
    process.send!({ id: told.id, error: (error as Error).stack ?? String(error) })
  }
})
process.on('disconnect', () => process.exit(0))

async function carryOut(told: Told): Promise<unknown> {
  const say = (said: string) => process.send!({ id: told.id, said })
  switch (told.kind) {
    case 'closedLoop':
      return runClosedLoop(told.order)
    case 'scans':
      return runScans(told.order)
    case 'checkouts':
      return runCheckouts(told.order)
    case 'ownReads':
      return runOwnReads(told.order)
    case 'reads':
      return runReads(told.order)
    case 'crowd':
      return runCrowd(told.order, say)
    case 'openReaders':
      readers = new Readers()
      return readers.open(told.order)
    case 'closeReaders':
      return readers!.close(told.order.seq)
  }
}
