import { digestSteps, type EventDigest } from '@voelgoed/core/event/digest'
import type { EventState } from '@voelgoed/core/event/state'
import type { Time } from '@voelgoed/kit/base/time'

/** No code may change the state meanwhile. Buyers are served between two slices. */
export async function digestInSlices(state: EventState, time: Pick<Time, 'soon'>): Promise<EventDigest> {
  const steps = digestSteps(state)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    await new Promise<void>(resolve => time.soon(resolve))
  }
}
