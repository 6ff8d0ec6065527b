import type { CheckReport, Report } from './verify.ts'

/** A report as people read it: first everything that was checked, then what is wrong. */
export function printReport(report: Report): string {
  const whole = (number: number) => number.toLocaleString('en')
  const rows = report.checks.map(check => [
    String(check.invariant),
    check.name,
    `${whole(check.examined)} ${check.of}`,
    check.violations === 0 ? 'ok' : whole(check.violations),
    check.ms === null ? '' : `${check.ms.toFixed(0)} ms`,
  ])
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
  const { events, changes, ms } = report.replay
  const lines = [
    ...table(['#', 'what must be true', 'looked at', 'broken', 'took'], rows),
    '',
    `Replayed ${whole(changes)} changes of ${whole(events)} events in ${seconds(ms)}; ${seconds(report.ms)} in all.`,
    'Can not be seen in a database: 9 12 14 15 17.',
    ...report.checks.filter(({ isTidiness }) => !isTidiness).flatMap(describeViolations),
    ...report.checks.filter(({ isTidiness }) => isTidiness).flatMap(describeViolations),
    '',
    verdict(report),
  ]
  return lines.join('\n')
}

function verdict({ violations, untidy }: Report): string {
  if (violations === 0 && untidy === 0) return 'No violations.'
  const tidiness = untidy > 0 ? [`${untidy} expired holds untidied (is a server running?)`] : []
  return [...(violations > 0 ? [`${violations} VIOLATIONS`] : []), ...tidiness].join(', ')
}

function describeViolations(check: CheckReport): string[] {
  if (check.violations === 0) return []
  const { violations, examples } = check
  const shown = examples.length < violations ? `, the first ${examples.length}` : ''
  return [
    '',
    `${check.isTidiness ? 'UNTIDY' : 'BROKEN'} ${check.invariant}: ${check.name} (${violations}${shown})`,
    ...examples.map(row => `  ${Object.entries(row).map(cell).join(' ')}`),
  ]
}

function cell([name, value]: [string, unknown]): string {
  return `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`
}

/** Numbers to the right, words to the left. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map(row => row[at]!.length)))
  const line = (cells: readonly string[]) =>
    cells
      .map((text, at) => (at === 1 ? text.padEnd(widths[at]!) : text.padStart(widths[at]!)))
      .join('  ')
      .trimEnd()
  return [line(head), widths.map(width => '-'.repeat(width)).join('  '), ...rows.map(line)]
}
