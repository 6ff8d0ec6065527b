import type { RedisFigures } from '../checker/check.ts'
import type { Findings } from '../checker/findings.ts'
import type { History, Operation } from '../checker/history.ts'
import { formatMs, formatTable } from '../format.ts'
import { FAULTS, type FaultName } from './nemesis.ts'
import type { RunReport } from './run.ts'

interface FaultFigures {
  readonly fault: string
  readonly times: number
  /** How long it lasted, in the middle. */
  readonly lastedMs: number
  readonly availability: number
  readonly medianBackMs: number | null
  readonly worstBackMs: number | null
  readonly neverBack: number
  /** Of a fault of Redis: until it had everything again. */
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
  /** Of everything that was asked, how much got an answer that means something. */
  readonly overall: number
  readonly betweenFaults: number
  readonly byFault: readonly FaultFigures[]
}

/**
 * How the service was, from the outside: useful answers among all questions, during faults and between them.
 */
export function measureService({ operations, faults }: Answered): ServiceFigures {
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
export function figuresOf({ seed, findings, check, history, seconds }: RunReport): object {
  const violations = findings.all.map(({ violation, times }) => ({ ...violation, times }))
  return { seed, seconds, service: measureService(history), check, violations, faults: history.faults }
}

export function printReport(report: RunReport): string {
  const { seed, findings, check, history, folder, seconds, complaints } = report
  const service = measureService(history)
  const percent = (share: number) => (Number.isNaN(share) ? '–' : `${(100 * share).toFixed(1)} %`)
  const time = (ms: number | null) => (ms === null ? '–' : formatMs(ms))
  const rows = service.byFault.map(one => [
    `${one.fault}: ${FAULTS[one.fault as FaultName].about}`,
    String(one.times),
    formatMs(one.lastedMs),
    percent(one.availability),
    time(one.medianBackMs),
    time(one.worstBackMs),
    one.neverBack === 0 ? '' : `${one.neverBack} NEVER`,
    ...(check.redis ? [time(one.medianEqualMs), time(one.worstEqualMs)] : []),
  ])
  const heads = ['fault', 'times', 'lasted', 'useful answers', 'back after', 'at worst', '']
  const points = history.faults.filter(({ fault }) => fault === 'kill-at').map(({ detail }) => detail)
  const whole = (number: number) => number.toLocaleString('en')
  const { refusals, windows } = check
  return [
    '',
    formatTable([...heads, ...(check.redis ? ['tiers equal after', 'at worst'] : [])], rows),
    '',
    ...(points.length > 0 ? [`Killed ${points.join('; ')}.`] : []),
    `Useful answers: ${percent(service.betweenFaults)} between faults, ${percent(service.overall)} over all.`,
    `Checked ${whole(check.operations)} operations against ${whole(check.entries)} entries of the journal and ` +
      `${whole(check.messages)} messages of the feed in ${formatMs(check.ms)}.`,
    `${whole(windows.checked)} windows searched for a legal order as well, ${whole(windows.tooLarge)} were too large.`,
    `${whole(refusals.refusals)} refusals, each with its reason at a moment between question and answer.`,
    ...(check.redis ? [printRedis(check.redis)] : []),
    `Seed ${seed}, ${seconds.toFixed(0)} s in all.`,
    ...complaints.map(line => `Log: ${line}`),
    '',
    printFindings(findings),
    ...(folder === null ? [] : [`The history is in ${folder}`]),
  ].join('\n')
}

function printRedis(figures: RedisFigures): string {
  const { reads, fromRedis, copies, whileRedisMs, otherwiseMs, starved } = figures
  const whole = (number: number) => number.toLocaleString('en')
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
