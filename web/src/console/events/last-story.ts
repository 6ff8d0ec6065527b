import { Refused } from '@voelgoed/client'
import type { JournalEntry } from './story.ts'

/** Asks the journal for one seat. */
export interface StoryQuery {
  readonly limit: string
  readonly from?: string
  readonly to?: string
  readonly after_seq?: string
}

interface StoryPage {
  readonly data: readonly JournalEntry[]
  readonly next: string | null
}

type ReadPage = (query: StoryQuery) => Promise<StoryPage>

export interface Story {
  /** In order. */
  readonly entries: readonly JournalEntry[]
  /** Milliseconds: what was before it is not told. Null: it is all that happened. */
  readonly since: number | null
}

const PAGE = '1000'
/** No sale is longer. */
const LONGEST_MS = 512 * 86_400_000
const SHORTEST_MS = 1_000

/**
 * Returns what happened to a seat until a moment, or until now: all of it, or the last part if the seat was
 * held more often than the server tells at once. The time is halved until the server tells what happened in
 * it; a time in which nothing happened is passed over, so that the last entry is always the last before the
 * moment.
 */
export async function lastStory(
  read: ReadPage,
  /** `until`: null, or a moment. `now`: by the server's clock. */
  { until, now }: { readonly until: number | null; readonly now: number },
): Promise<Story> {
  const whole = await storyIn(read, { to: until })
  if (whole) return { entries: whole, since: null }
  let to = until
  let length = LONGEST_MS
  for (;;) {
    const from = (to ?? now) - length
    const entries = await storyIn(read, { from, to })
    if (entries && entries.length > 0) return { entries, since: from }
    if (entries) to = from
    else if (length > SHORTEST_MS) length /= 2
    else throw new Error('a seat is held too often to be told of')
  }
}

/** Null: more holds lived in this time than the server tells of at once. */
async function storyIn(
  read: ReadPage,
  { from, to }: { readonly from?: number; readonly to: number | null },
): Promise<JournalEntry[] | null> {
  const time = {
    ...(from !== undefined && { from: new Date(from).toISOString() }),
    ...(to !== null && { to: new Date(to).toISOString() }),
  }
  const entries: JournalEntry[] = []
  let next: string | null = null
  try {
    do {
      const page: StoryPage = await read({ ...time, limit: PAGE, ...(next !== null && { after_seq: next }) })
      entries.push(...page.data)
      next = page.next
    } while (next !== null)
  } catch (error) {
    if (error instanceof Refused && error.code === 'invalid_request') return null
    throw error
  }
  return entries
}
