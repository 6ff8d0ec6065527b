import { readdirSync, readFileSync } from 'node:fs'

/** The kernel counts in these ticks on every Linux there is. */
const TICKS_PER_SECOND = 100

/** Seconds of processor time that a process has used so far. Null where there is no /proc. */
export function secondsOf(pid: number): number | null {
  const stat = readStat(pid)
  return stat && stat.own / TICKS_PER_SECOND
}

/** Adds up a process and its children, also those that have ended: a Postgres, or a server with workers. */
export function treeSeconds(pid: number): number | null {
  const first = readStat(pid)
  if (!first) return null
  let ticks = first.own + first.ofEndedChildren
  for (const child of childrenOf(pid)) ticks += readStat(child)?.own ?? 0
  return ticks / TICKS_PER_SECOND
}

export function childrenOf(pid: number): number[] {
  const all = readdirSync('/proc').filter(name => /^\d+$/.test(name))
  return all.map(Number).filter(other => readStat(other)?.parent === pid)
}

function readStat(pid: number): { parent: number; own: number; ofEndedChildren: number } | null {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch {
    return null
  }
  // The name in brackets may have spaces; behind it are the fields from the third on: see proc(5).
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const field = (number: number) => Number(fields[number - 3])
  return { parent: field(4), own: field(14) + field(15), ofEndedChildren: field(16) + field(17) }
}
