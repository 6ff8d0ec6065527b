import type { Command } from '@voelgoed/core/event/command'
import type { LaneAnswer, Pending, StoodAside } from '../lane/lane-answer.ts'
import { isAsKnown } from '../ports/batch-table.ts'
import { storedAnswer } from '../proofs/certain-refusal.ts'
import type { Round } from './round.ts'

/** So many changes are sent as soon as they are decided: Postgres writes them while the next are decided. */
const SEND_AT = 64
/** The first of them sooner: until then Postgres has nothing to do. */
const FIRST_SEND_AT = 16

const STOOD_ASIDE: StoodAside = { kind: 'stood_aside' }

/** Hears of a command that trips over a bug of ours. */
type Undecided = (error: unknown, command: Command) => void

/** Decides the commands of a batch in their order. A key that is known gets its stored answer again. */
export function decideBatch(
  round: Round,
  batch: readonly Pending[],
  undecided: Undecided,
): (LaneAnswer | StoodAside)[] {
  const { now } = round
  const { zones, seats } = round.hot
  const hall = { zones, seats }
  const { stored, rows } = round.locked
  const answers: (LaneAnswer | StoodAside)[] = []
  let sendAt = FIRST_SEND_AT
  for (const { command, key, rider } of batch) {
    if (round.unsent >= sendAt) {
      sendAt = SEND_AT
      round.send()
    }
    const known = key && stored.get(key.keyHash.toString('latin1'))
    if (key && known) {
      answers.push(storedAnswer(key, known))
      continue
    }
    if (rider && !isAsKnown(rider, rows)) {
      answers.push(STOOD_ASIDE)
      continue
    }
    const given = give(round, { command, key, rider }, undecided)
    if (!given) {
      answers.push({ kind: 'refused', refusal: { kind: 'internal_error' } })
      continue
    }
    const { outcome, kept } = given
    if (given.stoodAside) {
      answers.push(STOOD_ASIDE)
      continue
    }
    // The same row twice in one batch: the second finds another row than it knew.
    if (rider && outcome.ok) rows.get(rider.table)?.delete(rider.known.id)
    // The same key twice in one batch: the second is a repetition of the first.
    if (kept) stored.set(kept.keyHash.toString('latin1'), kept)
    answers.push({ kind: 'decided', outcome, now, hall, kept })
  }
  return answers
}

/** Deciding changes nothing: a command that trips over a bug of ours does not take its batch down. */
function give(
  round: Round,
  { command, key, rider }: Pick<Pending, 'command' | 'key' | 'rider'>,
  undecided: Undecided,
): ReturnType<Round['give']> | null {
  const before = round.changes.length
  try {
    return round.give(command, key, rider)
  } catch (error) {
    // Once a change of it is written down, only undoing all of the batch undoes the command.
    if (round.changes.length > before) throw error
    undecided(error, command)
    return null
  }
}
