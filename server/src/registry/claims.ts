import { copyState } from '@voelgoed/core/event/copy-state'
import type { CommittedView } from '../lane/committed-view.ts'
import { digestInSlices } from '../lane/digest-in-slices.ts'
import type { Claim } from '../postgres/tables/node-reports.ts'
import type { Time } from '../time.ts'

/** What a view claims. The view may move on meanwhile: what is digested is a copy, of one moment. */
export async function claimOf(view: CommittedView, time: Pick<Time, 'soon'>): Promise<Claim> {
  const point = view.epochPoint
  return { ...point, ...(await digestInSlices(copyState(view.state), time)) }
}

/** A change that is on its way to a copy when the copy is asked gets so long to arrive. */
export const GRACE_MS = 500
const LOOK_EVERY_MS = 20

/** Looks again and again, until it is so or the time is over. False: it is not so. */
export async function within(
  ms: number,
  time: Pick<Time, 'now' | 'after'>,
  isSo: () => boolean | Promise<boolean>,
): Promise<boolean> {
  const until = time.now() + ms
  for (;;) {
    if (await isSo()) return true
    if (time.now() >= until) return false
    await new Promise<void>(resolve => time.after(LOOK_EVERY_MS, resolve))
  }
}
