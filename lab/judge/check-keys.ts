import type { Findings } from './findings.ts'
import type { Operation } from './history.ts'

/** Same idempotency key, same answer; the same key for something else, refused. */
export function checkKeys(operations: readonly Operation[], findings: Findings): void {
  const byKey = new Map<string, Operation[]>()
  for (const operation of operations) {
    if (operation.key === undefined) continue
    const key = `${operation.user} ${routeOf(operation)} ${operation.key}`
    const known = byKey.get(key)
    if (known) known.push(operation)
    else byKey.set(key, [operation])
  }
  for (const ofKey of byKey.values()) {
    if (ofKey.length < 2) continue
    const first = ofKey.find(({ outcome }) => outcome === 'ok')
    for (const operation of ofKey) {
      const add = (rule: string) =>
        findings.add({ invariant: 10, rule, event: operation.event, evidence: [first, operation] })
      const isOther = first !== undefined && operation.wish !== first.wish
      if (operation.outcome === 'ok' && first) {
        if (isOther) add('a key is for one request')
        else if (JSON.stringify(operation.answer.holds) !== JSON.stringify(first.answer.holds)) {
          add('same key, same answer')
        }
      }
      if (operation.answer.code === 'idempotency_key_reused') {
        const wishes = new Set(ofKey.map(({ wish }) => wish))
        if (wishes.size < 2) add('a key is only refused for another request')
      }
      const isLateSuccess = operation.outcome === 'ok' && first !== undefined && operation.from > first.to
      if (isLateSuccess && operation.answer.replayed !== true) add('an answer to a key is kept')
      // A success that was known before this was asked must come back, and nothing else.
      const isLate = first !== undefined && operation.from > first.to
      if (isLate && !isOther && operation.outcome === 'refused' && operation.answer.status < 500) {
        if (operation.answer.status !== 0) add('same key, same answer')
      }
    }
  }
}

/** A key belongs to the caller who sends it, and to the route it is sent to. */
function routeOf({ event, command }: Operation): string {
  const isOneSeat = command.kind === 'hold_seats' && command.ordinals.length === 1
  return isOneSeat ? `${event}/${command.ordinals[0]}` : event
}
