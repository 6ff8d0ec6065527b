import type { EventState } from '@voelgoed/core/event/state'
import { nextExpiry } from '@voelgoed/core/event/view'
import { checkRun } from '../../checker/check.ts'
import { type History, type Operation, readHistory } from '../../checker/history.ts'
import type { EventRecord } from '../../checker/record.ts'
import { wordsOf } from './browser.ts'
import { EVENT, ORGANIZATION, RECORDED_HALL, STAFF } from './hall.ts'
import { imageOf } from './image.ts'
import type { World } from './world.ts'

/**
 * Judges a run that has come to rest: what buyers heard, by the checker of the fault runs and the journal;
 * what is in the memory of each node, and what its followers heard, by the journal.
 */
export function judge(world: World): void {
  judgeAnswers(world)
  const { event, plan } = world
  let due: EventState
  try {
    due = event.stateAt(event.journal.length)
  } catch (error) {
    world.find('the journal can be applied', (error as Error).message)
    return
  }
  if (event.nextExpiry !== nextExpiry(due)) {
    world.find('the ledger knows when the next hold runs out', event.nextExpiry, nextExpiry(due))
  }
  judgeBrowsers(world, due)
  for (const { process, view, told } of world.nodes) {
    if (!view) continue
    const [memory, journal] = [imageOf(view.state), imageOf(due)]
    if (memory !== journal) world.find('memory is what the journal says', process.name, memory, journal)
    const tip = event.journal.at(-1)!.command
    const known = view.point.tip
    if (known !== null && known !== tip) world.find('memory knows its last command', process.name, known, tip)
    const { epoch } = view.epochPoint
    if (epoch !== event.epoch) world.find('memory knows the epoch', process.name, epoch, event.epoch)
    const heard = told.changes.map(change => JSON.stringify(change))
    const entries = event.journal.slice(told.from ?? 0).map(({ change }) => JSON.stringify(change))
    if (heard.join() !== entries.join()) {
      world.find('followers have heard what the journal says', process.name, told.from, heard, entries)
    }
    if (plan.faults.length === 0 && told.startedAgain > 0) {
      world.find('followers only start again after a fault', process.name)
    }
  }
}

/** What is known at the end, by a reader that heard all there was to hear. */
function judgeBrowsers(world: World, due: EventState): void {
  for (const { name, seats, isFollowing } of world.browsers) {
    if (!isFollowing) world.find('a reader of the feed gets in', name)
    const [mine, journal] = [seats.join(), wordsOf(due).join()]
    if (mine !== journal) world.find('a reader ends with what the journal says', name, mine, journal)
  }
}

function judgeAnswers(world: World): void {
  const { event, plan } = world
  const record: EventRecord = {
    eventId: EVENT.eventId,
    organizationId: ORGANIZATION,
    plan: RECORDED_HALL,
    journal: event.journal.map(({ change, command, actor }) => {
      const { seq, kind, at, ...body } = change
      return { seq, kind, command, actor, at, body: body as EventRecord['journal'][number]['body'] }
    }),
    tables: null,
  }
  const buyers = Array.from({ length: plan.buyers }, (_, index) => [`buyer-${index}`, `guest-${index}`])
  const people = [STAFF.userId, ...buyers.flat()]
  const users = new Map(people.map(user => [user as string, { organizationId: ORGANIZATION }]))
  const { findings } = checkRun(withoutLost(world), [record], users)
  for (const { violation } of findings.all) world.find(violation.rule, ...violation.evidence)
}

/**
 * The database has lost commits: a command of theirs may have happened or not. What was answered meanwhile
 * without an effect of its own may tell of what is lost. Everything else is judged as always.
 */
function withoutLost({ lines, event, lost, commands }: World): History {
  const history = readHistory(lines)
  if (!lost) return history
  const kept = new Set(event.journal.map(({ command }) => command))
  const operations = history.operations.flatMap((operation): Operation[] => {
    const command = commands.get(operation.op)!
    if (kept.has(command)) return [operation]
    if (lost.commands.has(command)) {
      return [{ ...operation, outcome: 'unknown', to: Number.POSITIVE_INFINITY, answer: { status: 0 } }]
    }
    const isMeanwhile = operation.from <= lost.to && operation.to >= lost.from
    return isMeanwhile && operation.outcome !== 'unknown' ? [] : [operation]
  })
  return { ...history, operations }
}
