import type { Findings } from '../checker/findings.ts'
import type { History } from '../checker/history.ts'
import { formatMs, formatTable } from '../format.ts'
import { FAULTS, type FaultName } from './nemesis.ts'
import type { RunReport } from './run.ts'

interface FaultFigures {
  readonly fault: string
  readonly times: number
  readonly availability: number
  readonly medianBackMs: number | null
  readonly worstBackMs: number | null
  readonly neverBack: number
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
function measureService({ operations, faults }: History): ServiceFigures {
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
      const back = of.flatMap(({ backAfterMs }) => backAfterMs ?? []).sort((a, b) => a - b)
      return {
        fault,
        times: of.length,
        availability: share(fault),
        medianBackMs: back[back.length >> 1] ?? null,
        worstBackMs: back.at(-1) ?? null,
        neverBack: of.length - back.length,
      }
    }),
  }
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
    percent(one.availability),
    time(one.medianBackMs),
    time(one.worstBackMs),
    one.neverBack === 0 ? '' : `${one.neverBack} NEVER`,
  ])
  const points = history.faults.filter(({ fault }) => fault === 'kill-at').map(({ detail }) => detail)
  const whole = (number: number) => number.toLocaleString('en')
  const { refusals, windows } = check
  return [
    '',
    formatTable(['fault', 'times', 'useful answers', 'back after', 'at worst', ''], rows),
    '',
    ...(points.length > 0 ? [`Killed ${points.join('; ')}.`] : []),
    `Useful answers: ${percent(service.betweenFaults)} between faults, ${percent(service.overall)} over all.`,
    `Checked ${whole(check.operations)} operations against ${whole(check.entries)} entries of the journal and ` +
      `${whole(check.messages)} messages of the feed in ${formatMs(check.ms)}.`,
    `${whole(windows.checked)} windows searched for a legal order as well, ${whole(windows.tooLarge)} were too large.`,
    `${whole(refusals.refusals)} refusals, each with its reason at a moment between question and answer.`,
    `Seed ${seed}, ${seconds.toFixed(0)} s in all.`,
    ...complaints.map(line => `Log: ${line}`),
    '',
    printFindings(findings),
    ...(folder === null ? [] : [`The history is in ${folder}`]),
  ].join('\n')
}

export function printFindings(findings: Findings): string {
  if (findings.isEmpty) return 'No violation.'
  const lines = findings.all.flatMap(({ violation, times }) => [
    `VIOLATION of ${violation.invariant}: ${violation.rule} (× ${times}), event ${violation.event}`,
    ...violation.evidence.map(one => `    ${JSON.stringify(one)?.slice(0, 600)}`),
  ])
  return [...lines, `${findings.all.length} VIOLATIONS.`].join('\n')
}
