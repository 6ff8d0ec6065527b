import type { Operation } from './history.ts'

/** As long as a mark of the gate counts whose batch never came to its end (server/src/warm/gate.ts). */
const MARK_MS = 5_000

/**
 * The gate refuses a buyer while another node writes the seat for another buyer, whatever becomes of that. So
 * such a refusal needs no hold in the journal: it is enough that another buyer asked for each of the seats at
 * that time. All other operations are left to be judged.
 */
export function withoutEarlyRefusals(operations: readonly Operation[]): Operation[] {
  const asked = new Map<string, Operation[]>()
  for (const operation of operations) {
    if (operation.command.kind !== 'hold_seats') continue
    for (const ordinal of operation.command.ordinals) {
      const key = `${operation.event} ${ordinal}`
      const known = asked.get(key)
      if (known) known.push(operation)
      else asked.set(key, [operation])
    }
  }
  return operations.filter(operation => {
    const { command, outcome, answer, event, user, from, to } = operation
    if (command.kind !== 'hold_seats' || outcome !== 'refused') return true
    if (answer.code !== 'seat_held_by_another_user') return true
    const named = answer.ordinals ?? command.ordinals
    const hasRival = (ordinal: number) =>
      (asked.get(`${event} ${ordinal}`) ?? []).some(
        rival => rival.user !== user && rival.from <= to && rival.to >= from - MARK_MS,
      )
    return named.length === 0 || !named.every(hasRival)
  })
}
