import { refusedWith } from './answers.ts'
import type { Operation } from './history.ts'
import type { EventRecord } from './record.ts'

/**
 * A transfer moves what a guest holds in every event, and answers for each of them. Here it becomes an
 * operation for each event that it can have been about.
 */
export function splitTransfers(
  operations: readonly Operation[],
  records: readonly EventRecord[],
): readonly Operation[] {
  const eventsOf = new Map<string, Set<string>>()
  for (const { eventId, journal } of records) {
    for (const { kind, body } of journal) {
      if (kind !== 'seat_reserved' || body.userId === undefined) continue
      const events = eventsOf.get(body.userId) ?? new Set()
      eventsOf.set(body.userId, events.add(eventId))
    }
  }
  return operations.flatMap(operation => {
    const { command, answer } = operation
    if (command.kind !== 'transfer') return operation
    const told = answer.transfers?.map(({ event }) => event) ?? []
    const events = new Set([operation.event, ...told, ...(eventsOf.get(command.from) ?? [])])
    return [...events].map(event => inEvent(operation, event))
  })
}

function inEvent(operation: Operation, event: string): Operation {
  if (operation.outcome !== 'ok') return { ...operation, event }
  const told = operation.answer.transfers?.find(one => one.event === event)
  if (told?.code === undefined) {
    return { ...operation, event, answer: { status: 200, holds: told?.holds ?? [] } }
  }
  const { type: outcome, answer } = refusedWith(told.code)
  const to = outcome === 'unknown' ? Number.POSITIVE_INFINITY : operation.to
  return { ...operation, event, outcome, to, answer }
}
