import type { Findings } from './findings.ts'
import type { FaultLine, History, Operation, ReadLine } from './history.ts'

/** Longer than the lab waits for an answer. */
const NO_ANSWER_MS = 13_000
/** After every node has answered again, what was begun before may still fail. */
const AFTERWARDS_MS = 3_000
const NEVER_BACK_MS = 60_000
/**
 * No caller waits for Redis longer than one time-out of a command, 50 ms. How long a request takes on a busy
 * machine is no proof of anything; so long, it is.
 */
const MOST_MS = 8_000
/** A question to Postgres that takes so long shows that the machine has more to do than it can. */
const SLOW_MS = 200
/** The same if half of all answers take longer while nothing is harmed: it should be a few ms. */
const USUAL_MS = 100
/** And for so long before and after it nodes may lack the processor as well. */
const AROUND_MS = 3_000

export interface WaitFigures {
  /** The longest that a caller waited while something was done to Redis and to nothing else. */
  readonly whileRedisMs: number
  /** And while nothing was done. */
  readonly otherwiseMs: number
  /** Requests that got no useful answer while the machine was too busy to say why. */
  readonly starved: number
}

interface Asked {
  readonly event: string
  readonly from: number
  readonly to: number
  /** 0: no answer. */
  readonly status: number
  readonly isError: boolean
  readonly evidence: object
}

/**
 * With Redis: no error and no long wait that is not explained by what was done to a node or to Postgres at
 * that moment. What is done to Redis explains none. A machine that is too busy explains a node that says so,
 * or says nothing; never a node that breaks (500).
 */
export function checkErrors(
  { operations, reads, faults, busy, clock }: History,
  isOfRedis: (fault: string) => boolean,
  findings: Findings,
): WaitFigures {
  const explained = periodsOf(
    faults.filter(({ fault }) => !isOfRedis(fault)),
    AFTERWARDS_MS,
  )
  const ofRedis = periodsOf(
    faults.filter(({ fault }) => isOfRedis(fault)),
    0,
  )
  const tooBusy = [...busy, ...clock.filter(({ from, to }) => to - from > SLOW_MS)].map(({ from, to }) => {
    return { from: from - AROUND_MS, to: to + AROUND_MS }
  })
  const figures = { whileRedisMs: 0, otherwiseMs: 0, starved: 0 }
  const all = [...operations.map(ofOperation), ...reads.map(ofRead)]
  const usual = medianMs(all.filter(asked => !isDuring(explained, asked) && !isDuring(ofRedis, asked)))
  const isTooBusy = (asked: Asked) => usual > USUAL_MS || isDuring(tooBusy, asked)
  for (const asked of all) {
    const { event, from, to, status, isError } = asked
    if (isDuring(explained, asked)) continue
    const ms = to - from
    const isLong = ms > MOST_MS
    if (status !== 500 && isTooBusy(asked)) {
      if (isError || isLong) figures.starved += 1
      continue
    }
    const near = faults.filter(fault => from < fault.to + AFTERWARDS_MS && to > fault.from)
    const evidence = [asked.evidence, ...near.map(fault => ({ ...fault }))]
    if (isError) findings.add({ invariant: 9, rule: 'no error because of Redis', event, evidence })
    if (isLong) findings.add({ invariant: 9, rule: 'no long wait because of Redis', event, evidence })
    const which = isDuring(ofRedis, asked) ? 'whileRedisMs' : 'otherwiseMs'
    figures[which] = Math.max(figures[which], ms)
  }
  return figures
}

function medianMs(asked: readonly Asked[]): number {
  const sorted = asked.map(({ from, to }) => to - from).sort((a, b) => a - b)
  return sorted[sorted.length >> 1] ?? 0
}

interface Period {
  readonly from: number
  readonly to: number
}

function periodsOf(faults: readonly FaultLine[], afterwards: number): Period[] {
  return faults.map(({ from, to, backAfterMs }) => {
    return { from, to: to + (backAfterMs ?? NEVER_BACK_MS) + afterwards }
  })
}

function isDuring(periods: readonly Period[], { from, to }: Period): boolean {
  return periods.some(period => from < period.to && to > period.from)
}

function ofOperation(operation: Operation): Asked {
  const { event, from, outcome, answer } = operation
  return {
    event,
    from,
    to: outcome === 'unknown' ? from + NO_ANSWER_MS : operation.to,
    status: answer.status,
    isError: outcome === 'unknown' || answer.status === 0 || answer.status >= 500,
    evidence: operation,
  }
}

function ofRead(read: ReadLine): Asked {
  const { seats: _, ...evidence } = read
  const { event, from, to } = read
  const status = read.status ?? 0
  return { event, from, to, status, isError: status === 0 || status >= 500, evidence }
}
