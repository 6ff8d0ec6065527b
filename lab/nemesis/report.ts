import { formatMs, formatTable } from '../format.ts'
import { WAYS } from '../judge/books/ways.ts'
import type { CheckFigures, RedisFigures } from '../judge/check.ts'
import type { Findings } from '../judge/findings.ts'
import type { History, Operation } from '../judge/history.ts'
import { FAULTS, type FaultName } from './nemesis.ts'
import type { RunReport, SalesFigures } from './run.ts'

interface FaultFigures {
  readonly fault: string
  readonly times: number
  /** The fault lasted so long, in the median. */
  readonly lastedMs: number
  readonly availability: number
  readonly medianBackMs: number | null
  readonly worstBackMs: number | null
  readonly neverBack: number
  /** A fault of Redis has these two: the time until Redis had everything again. */
  readonly medianEqualMs: number | null
  readonly worstEqualMs: number | null
}

interface Answered {
  readonly operations: readonly (Pick<Operation, 'from' | 'to' | 'outcome'> & {
    readonly answer: { readonly status: number }
  })[]
  readonly faults: History['faults']
}

interface ServiceFigures {
  /** This share of all questions got an answer that means something. */
  readonly overall: number
  readonly betweenFaults: number
  readonly byFault: readonly FaultFigures[]
}

/**
 * Measures the service from the outside: useful answers among all questions, during faults and between them.
 */
function measureService({ operations, faults }: Answered): ServiceFigures {
  const periods = faults.map(line => ({ line, from: line.from, to: line.to + (line.backAfterMs ?? 0) }))
  periods.sort((a, b) => a.from - b.from)
  const counts = new Map<string, { useful: number; all: number }>()
  const count = (name: string, isUseful: boolean) => {
    const known = counts.get(name) ?? { useful: 0, all: 0 }
    known.all += 1
    if (isUseful) known.useful += 1
    counts.set(name, known)
  }
  for (const { from, to, outcome, answer } of operations) {
    const isUseful = outcome === 'ok' || (outcome === 'refused' && answer.status > 0 && answer.status < 500)
    const period = periods.find(one => from < one.to && to > one.from)
    count(period ? period.line.fault : 'between', isUseful)
    count('overall', isUseful)
  }
  const share = (name: string) => {
    const { useful, all } = counts.get(name) ?? { useful: 0, all: 0 }
    return all === 0 ? Number.NaN : useful / all
  }
  const names = [...new Set(faults.map(({ fault }) => fault))].sort()
  return {
    overall: share('overall'),
    betweenFaults: share('between'),
    byFault: names.map(fault => {
      const of = faults.filter(line => line.fault === fault)
      const back = of.flatMap(({ backAfterMs }) => backAfterMs ?? []).sort(ascending)
      const equal = of.flatMap(({ equalAfterMs }) => equalAfterMs ?? []).sort(ascending)
      const lasted = of.map(({ from, to }) => to - from).sort(ascending)
      return {
        fault,
        times: of.length,
        lastedMs: lasted[lasted.length >> 1]!,
        availability: share(fault),
        medianBackMs: back[back.length >> 1] ?? null,
        worstBackMs: back.at(-1) ?? null,
        neverBack: of.length - back.length,
        medianEqualMs: equal[equal.length >> 1] ?? null,
        worstEqualMs: equal.at(-1) ?? null,
      }
    }),
  }
}

function ascending(a: number, b: number): number {
  return a - b
}

/** The figures of a run for a program to read. */
export function figuresOf(report: RunReport): object {
  const { seed, findings, check, sales, history, seconds } = report
  const violations = findings.all.map(({ violation, times }) => ({ ...violation, times }))
  const ways = sales && { ...sales, ways: { ...sales.ways, ways: Object.fromEntries(sales.ways.ways) } }
  const service = measureService(answeredIn(history))
  return { seed, seconds, service, check, sales: ways, violations, faults: history.faults }
}

/** For docs/evidence.md: with the command that says the same again. */
export function quoteOf(report: RunReport, command: string): string {
  return [`$ ${command}`, '', ...printAll(report)].join('\n')
}

export function printReport(report: RunReport): string {
  const { folder, complaints } = report
  return [
    '',
    ...printAll(report),
    ...complaints.map(line => `Log: ${line}`),
    ...(folder === null ? [] : [`The history is in ${folder}`]),
  ].join('\n')
}

function printAll(report: RunReport): string[] {
  const { seed, findings, check, history, sales, seconds } = report
  return [
    ...(sales ? [printWays(sales), ''] : []),
    ...(history.faults.length > 0 || !sales ? [printFaults(report), ''] : []),
    ...(check.entries > 0 ? printChecks(check) : []),
    ...(sales ? printSales(sales, history) : []),
    `Seed ${seed}, ${seconds.toFixed(0)} s in all.`,
    '',
    printFindings(findings),
  ]
}

const whole = (number: number) => number.toLocaleString('en')
const money = (cents: number) => (cents / 100).toLocaleString('en', { minimumFractionDigits: 2 })

/** Questions about holds, and those of buyers who pay, of staff and gates. */
function answeredIn({ operations, heard, faults }: History): Answered {
  const others = heard.map(({ from, to, outcome, status }) => ({ from, to, outcome, answer: { status } }))
  return { operations: [...operations, ...others], faults }
}

function printFaults({ check, history }: RunReport): string {
  const service = measureService(answeredIn(history))
  const percent = (share: number) => (Number.isNaN(share) ? '–' : `${(100 * share).toFixed(1)} %`)
  const time = (ms: number | null) => (ms === null ? '–' : formatMs(ms))
  const hasRedis = check.redis !== null
  const rows = service.byFault.map(one => [
    `${one.fault}: ${FAULTS[one.fault as FaultName].about}`,
    String(one.times),
    formatMs(one.lastedMs),
    percent(one.availability),
    time(one.medianBackMs),
    time(one.worstBackMs),
    one.neverBack === 0 ? '' : `${one.neverBack} NEVER`,
    ...(hasRedis ? [time(one.medianEqualMs), time(one.worstEqualMs)] : []),
  ])
  const heads = ['fault', 'times', 'lasted', 'useful answers', 'back after', 'at worst', '']
  const points = history.faults.filter(({ fault }) => fault === 'kill-at').map(({ detail }) => detail)
  return [
    formatTable([...heads, ...(hasRedis ? ['tiers equal after', 'at worst'] : [])], rows),
    '',
    ...(points.length > 0 ? [`Killed ${points.join('; ')}.`] : []),
    `Useful answers: ${percent(service.betweenFaults)} between faults, ${percent(service.overall)} over all.`,
  ].join('\n')
}

function printChecks(check: CheckFigures): string[] {
  const { refusals, windows } = check
  return [
    `Checked ${whole(check.operations)} operations against ${whole(check.entries)} entries of the journal and ` +
      `${whole(check.messages)} messages of the feed in ${formatMs(check.ms)}.`,
    `${whole(windows.checked)} windows searched for a legal order as well, ${whole(windows.tooLarge)} were too large.`,
    `${whole(refusals.refusals)} refusals, each with its reason at a moment between question and answer.`,
    ...(check.redis ? [printRedis(check.redis)] : []),
  ]
}

function printSales(
  { ways, events, crowdSeconds, settledSeconds }: SalesFigures,
  { heard }: History,
): string[] {
  const rate = (ways.checkouts / crowdSeconds).toFixed(0)
  return [
    `${whole(ways.checkouts)} checkouts in ${crowdSeconds.toFixed(0)} s, ${rate}/s; ` +
      `${whole(ways.external)} orders of platforms; ${whole(heard.length)} answers; ${whole(events)} events.`,
    `The gateway took ${money(ways.captured)} and gave ${money(ways.givenBack)} back. ` +
      `${whole(ways.tickets)} tickets, ${whole(ways.moved)} of them moved to other seats, ` +
      `${whole(ways.admitted)} admitted, ${whole(ways.conflicts)} found to be wrong later.`,
    `Nothing was left to do after ${settledSeconds.toFixed(0)} s.`,
  ]
}

function printWays({ ways }: SalesFigures): string {
  const rows: [string, number][] = WAYS.map(way => [way, ways.ways.get(way) ?? 0])
  rows.push(['of those that were paid: refunded by staff', ways.refundedWhole])
  rows.push(['… in part', ways.refundedInPart])
  const percent = (count: number) => `${((100 * count) / Math.max(1, ways.checkouts)).toFixed(1)} %`
  return formatTable(
    ['what became of them', 'checkouts', ''],
    rows.map(([way, count]) => [way, whole(count), percent(count)]),
  )
}

function printRedis(figures: RedisFigures): string {
  const { reads, fromRedis, copies, whileRedisMs, otherwiseMs, starved } = figures
  return (
    `${whole(reads)} reads, ${whole(fromRedis)} of them answered by Redis; ${whole(copies)} copies compared with the journal. ` +
    `The longest wait of a caller: ${formatMs(whileRedisMs)} while Redis was harmed, ${formatMs(otherwiseMs)} while nothing was. ` +
    `${whole(starved)} requests without a useful answer while the machine was too busy.`
  )
}

export function printFindings(findings: Findings): string {
  if (findings.isEmpty) return 'No violation.'
  const lines = findings.all.flatMap(({ violation, times }) => [
    `VIOLATION of ${violation.invariant}: ${violation.rule} (× ${times}), event ${violation.event}`,
    ...violation.evidence.map(one => `    ${JSON.stringify(one)?.slice(0, 600)}`),
  ])
  return [...lines, `${findings.all.length} VIOLATIONS.`].join('\n')
}
