import type { History, Operation } from './history.ts'

/** For how long after a failover nodes may still show what is lost, and readers wait for their reset. */
const NOTICED_WITHIN_MS = 5_000

/**
 * A failover to a replica that lacks the last commits loses what was confirmed between the replica's last
 * commit and the failover. What clients heard in that time may have happened or not. After it, everything is
 * judged as always: a reader must have been told to start again, nodes must agree with what is left,
 * and answers must be true.
 */
export function excuseLost(history: History): History {
  const lost = history.faults.filter(({ fault }) => fault === 'failover')
  if (lost.length === 0) return history
  const noticing = (at: number) => lost.some(({ from, to }) => at >= from && at <= to + NOTICED_WITHIN_MS)

  const operations = history.operations.flatMap((operation): Operation[] => {
    const { command, from, to, answer } = operation
    const isDisplay = command.kind === 'look' || answer.code === 'seat_not_available'
    if (isDisplay && (noticing(from) || noticing(to))) return []
    const isLost = lost.some(window => from <= window.to && to >= window.from)
    return [
      isLost
        ? { ...operation, outcome: 'unknown', to: Number.POSITIVE_INFINITY, answer: { status: 0 } }
        : operation,
    ]
  })

  const feed = lost.reduce((messages, { from, to }) => {
    const again = new Set<number>()
    return messages.filter(({ at, reader, message }) => {
      if (at < from) return true
      if (at >= to && message === 'reset') again.add(reader)
      return again.has(reader) || at > to + NOTICED_WITHIN_MS
    })
  }, history.feed)
  const reads = history.reads.filter(({ from, to }) => !noticing(from) && !noticing(to))
  const ownReads = history.ownReads.filter(({ from, to }) => !noticing(from) && !noticing(to))
  const copies = history.copies.filter(({ from, to }) => !noticing(from) && !noticing(to))
  return { ...history, operations, feed, reads, ownReads, copies }
}
