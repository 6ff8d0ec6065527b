import { BulkWork } from '../kit/bulk-work.svelte.ts'
import type { Desk } from '../kit/desk.svelte.ts'

export interface HoldToRelease {
  readonly hold_id: string
  readonly name: string
}

/** The server takes 1,000 in a call; smaller parts show how far it is. */
const CHUNK = 100

/** Releases holds of buyers part by part. Returns when all of it is over. */
export async function releaseHolds(
  desk: Desk,
  holds: readonly HoldToRelease[],
  { notes, force }: { readonly notes: string; readonly force: boolean },
): Promise<void> {
  const { words, session } = desk
  const names = new Map(holds.map(({ hold_id, name }) => [hold_id, name]))
  const work = new BulkWork(words.holds.release(holds.length), notes, holds.length)
  desk.begin(work)
  await work.run(holds, CHUNK, async part => {
    const body = { hold_ids: part.map(({ hold_id }) => hold_id), notes, force }
    const { data } = await session.call('POST /api/admin/seats/release', { body })
    const skipped = data.skipped.map(({ hold_id, code }) => ({
      name: names.get(hold_id) ?? hold_id,
      why: whyOf(desk, code),
    }))
    return { done: part.length - skipped.length, skipped }
  })
}

/** The code of a problem in words, as far as it is one. */
function whyOf({ language, words }: Desk, code: string): string {
  if (code === 'hold_in_payment') return words.holds.inPayment
  const told = (language.words.refusals as Record<string, ((problem: never) => string) | undefined>)[code]
  return told ? told({} as never) : code
}
