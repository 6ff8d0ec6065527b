import { formatMs } from '../format.ts'
import { checkRun } from '../judge/check.ts'
import { generateHistory } from '../judge/generate.ts'
import { HistoryReader, type Line } from '../judge/history.ts'
import { printFindings } from './report.ts'

/** Times the checker on a history of this size, with the reading of its text. */
export function checkGenerated(operations: number, seed: number): string {
  const { lines, records, users } = generateHistory({ operations, seats: 5_000, clients: 300, seed })
  const texts = Array.from(lines, line => JSON.stringify(line))
  const started = performance.now()
  const cpu = process.cpuUsage()
  const reader = new HistoryReader()
  for (const text of texts) reader.add(JSON.parse(text) as Line)
  const readMs = performance.now() - started
  const { findings, figures } = checkRun(reader.history, records, users)
  const { user, system } = process.cpuUsage(cpu)
  return [
    `${operations.toLocaleString('en')} operations, ${figures.entries.toLocaleString('en')} entries of the journal: ` +
      `read in ${formatMs(readMs)}, checked in ${formatMs(figures.ms)}, ` +
      `${figures.windows.checked.toLocaleString('en')} windows by brute force among it; ` +
      `${formatMs((user + system) / 1000)} of processor time.`,
    printFindings(findings),
  ].join('\n')
}
