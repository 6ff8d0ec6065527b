import { copyState } from '@voelgoed/core/event/copy-state'
import type { CommittedView } from '@voelgoed/engine/view/committed-view'
import { digestInSlices } from '@voelgoed/engine/view/digest-in-slices'
import type { Time } from '@voelgoed/kit/base/time'
import type { Claim } from './tables/node-reports.ts'

/** Digests a copy of the view at one moment, because the view may move on meanwhile. */
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
