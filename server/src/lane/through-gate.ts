import type { Refusal } from '@voelgoed/core/refusal'
import { storedAnswer } from './certain-refusal.ts'
import type { Gate, GatedEvent } from './gate.ts'
import type { Pending } from './lane-answer.ts'
import type { EventStore } from './store.ts'

interface Passed {
  readonly commands: readonly Pending[]
  /** When they are decided: their marks at the gate go. */
  leave(): void
}

/** The gate may refuse some of a batch before the lock is asked for. `failed`: that command has no answer. */
export async function throughGate(
  { gate, store }: { readonly gate?: Gate | null; readonly store: EventStore },
  event: GatedEvent,
  batch: readonly Pending[],
  failed: (pending: Pending, error: unknown) => void,
): Promise<Passed> {
  const commands = () => batch.map(({ command }) => command)
  const pass = (await gate?.enter(event, commands())) ?? null
  if (!pass) return { commands: batch, leave: () => {} }
  const passed = batch.filter((pending, index) => {
    const refusal = pass.refusals.get(index)
    if (refusal) void refuse(store, event, pending, refusal).catch(error => failed(pending, error))
    return !refusal
  })
  return { commands: passed, leave: () => pass.leave() }
}

/** A key that is known gets its answer again, whatever has become of the seat. */
async function refuse(
  store: EventStore,
  event: GatedEvent,
  pending: Pending,
  refusal: Refusal,
): Promise<void> {
  const { key } = pending
  const proof = key && (await store.prove(event, key.keyHash))
  pending.settle(key && proof?.stored ? storedAnswer(key, proof.stored) : { kind: 'refused', refusal })
}
