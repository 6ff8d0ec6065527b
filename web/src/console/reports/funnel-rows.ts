import type { ConsoleWords } from '../kit/words/words.ts'

export interface FunnelRow {
  readonly name: string
  readonly count: number
  /** The row is a part of so many; null: it is a whole itself. */
  readonly of: number | null
}

interface Steps {
  readonly attempted: number
  readonly granted: number
  readonly refused: number
  readonly held: number
  readonly extended: number
  readonly paid: number
  readonly expired: number
  readonly released: number
  readonly refused_by_code?: Readonly<Record<string, number>>
  readonly released_by_reason?: Readonly<Record<string, number>>
}

/** The funnel from top to bottom: requests as parts of all requests, places as parts of the places held. */
export function funnelRows(steps: Steps, words: ConsoleWords['reports']['funnel']): FunnelRow[] {
  const { attempted, held } = steps
  const details = (counts: Readonly<Record<string, number>> = {}) =>
    Object.entries(counts).sort(([, one], [, other]) => other - one)
  return [
    { name: words.attempted, count: attempted, of: null },
    { name: words.granted, count: steps.granted, of: attempted },
    { name: words.refused, count: steps.refused, of: attempted },
    ...details(steps.refused_by_code).map(([code, count]) => {
      return { name: words.refusedAs(code), count, of: attempted }
    }),
    { name: words.held, count: held, of: null },
    { name: words.extended, count: steps.extended, of: held },
    { name: words.paid, count: steps.paid, of: held },
    { name: words.expired, count: steps.expired, of: held },
    { name: words.released, count: steps.released, of: held },
    ...details(steps.released_by_reason)
      .filter(([reason]) => reason !== '')
      .map(([reason, count]) => ({ name: words.releasedAs(reason), count, of: held })),
  ]
}
