import { WAYS } from '../../checker/books/ways.ts'
import { formatMs, formatTable } from '../../format.ts'
import { FAULTS, type FaultName } from '../nemesis.ts'
import { measureService, printFindings } from '../report.ts'
import type { CheckoutReport } from './run.ts'

const whole = (number: number) => number.toLocaleString('en')
const money = (cents: number) => (cents / 100).toLocaleString('en', { minimumFractionDigits: 2 })

/** The figures of a run for a program to read. */
export function figuresOf(report: CheckoutReport): object {
  const { seed, findings, ways, log, crowdSeconds, quietSeconds, seconds, events } = report
  const violations = findings.all.map(({ violation, times }) => ({ ...violation, times }))
  return {
    ...{ seed, seconds, crowdSeconds, quietSeconds, events, violations, faults: log.faults },
    ways: Object.fromEntries(ways.ways),
    books: { ...ways, ways: undefined },
    service: serviceOf(report),
  }
}

export function printCheckouts(report: CheckoutReport): string {
  const { folder, complaints } = report
  return [
    '',
    printBooks(report),
    '',
    ...(folder === null ? [] : [`What was heard, and the books, are in ${folder}`]),
    ...complaints.map(line => `Log: ${line}`),
  ].join('\n')
}

/** For docs/evidence.md: with the command that says the same again. */
export function quoteOf(report: CheckoutReport, command: string): string {
  return `$ ${command}\n\n${printBooks(report)}`
}

function printBooks(report: CheckoutReport): string {
  const { seed, findings, ways, log, crowdSeconds, quietSeconds, seconds, events } = report
  const rate = (ways.checkouts / crowdSeconds).toFixed(0)
  return [
    printWays(report),
    '',
    ...(log.faults.length > 0 ? [printFaults(report), ''] : []),
    `${whole(ways.checkouts)} checkouts in ${crowdSeconds.toFixed(0)} s, ${rate}/s; ` +
      `${whole(ways.external)} orders of platforms; ${whole(log.heard.length)} answers; ${whole(events)} events.`,
    `The gateway took ${money(ways.captured)} and gave ${money(ways.givenBack)} back. ` +
      `${whole(ways.tickets)} tickets, ${whole(ways.moved)} of them moved to other seats, ${whole(ways.admitted)} admitted, ${whole(ways.conflicts)} found to be wrong later.`,
    `Nothing was left to do after ${quietSeconds.toFixed(0)} s. Seed ${seed}, ${seconds.toFixed(0)} s in all.`,
    '',
    printFindings(findings),
  ].join('\n')
}

function printWays({ ways }: CheckoutReport): string {
  const rows: [string, number][] = WAYS.map(way => [way, ways.ways.get(way) ?? 0])
  rows.push(['of those that were paid: refunded by staff', ways.refundedWhole])
  rows.push(['… in part', ways.refundedInPart])
  const percent = (count: number) => `${((100 * count) / Math.max(1, ways.checkouts)).toFixed(1)} %`
  return formatTable(
    ['what became of them', 'checkouts', ''],
    rows.map(([way, count]) => [way, whole(count), percent(count)]),
  )
}

function printFaults(report: CheckoutReport): string {
  const service = serviceOf(report)
  const percent = (share: number) => (Number.isNaN(share) ? '–' : `${(100 * share).toFixed(1)} %`)
  const time = (ms: number | null) => (ms === null ? '–' : formatMs(ms))
  const table = formatTable(
    ['fault', 'times', 'lasted', 'useful answers', 'back after', 'at worst', ''],
    service.byFault.map(one => [
      `${one.fault}: ${FAULTS[one.fault as FaultName].about}`,
      ...[String(one.times), formatMs(one.lastedMs), percent(one.availability)],
      ...[time(one.medianBackMs), time(one.worstBackMs)],
      one.neverBack === 0 ? '' : `${one.neverBack} NEVER`,
    ]),
  )
  const points = report.log.faults.filter(({ fault }) => fault === 'kill-at').map(({ detail }) => detail)
  return [
    table,
    '',
    ...(points.length > 0 ? [`Killed ${points.join('; ')}.`] : []),
    `Useful answers: ${percent(service.betweenFaults)} between faults, ${percent(service.overall)} over all.`,
  ].join('\n')
}

function serviceOf({ log }: CheckoutReport) {
  const operations = log.heard.map(({ from, to, outcome, status }) => ({
    from,
    to,
    outcome,
    answer: { status },
  }))
  return measureService({ operations, faults: log.faults })
}
