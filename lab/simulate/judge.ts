import type { Change } from '@voelgoed/core/event/change'
import type { EventState } from '@voelgoed/core/event/state'
import { nextExpiry } from '@voelgoed/core/event/view'
import { checkRun } from '../judge/check.ts'
import { type History, type Operation, readHistory } from '../judge/history.ts'
import type { EntryBody, EventRecord } from '../judge/record.ts'
import { ORGANIZATION, recordedHall, STAFF } from './hall.ts'
import { digestOf, imageOf } from './image.ts'
import { judgeTidying, judgeWaits } from './judge-times.ts'
import { type SimulatedEvent, wordsOf } from './simulated-event.ts'
import type { World } from './world.ts'

/**
 * Judges a run that has come to rest: what buyers heard, by the checker of the fault runs and the journal;
 * what is in the memory of each node, and what its followers heard, by the journal; how long it all took.
 */
export function judge(world: World): void {
  const history = readHistory(world.lines)
  judgeAnswers(world, history)
  judgeWaits(world, history)
  for (const event of world.events) {
    try {
      judgeMemory(world, event, event.stateAt(event.journal.length))
    } catch (error) {
      world.find('the journal can be applied', (error as Error).message)
    }
    judgeTidying(world, event)
  }
}

function judgeMemory(world: World, event: SimulatedEvent, due: EventState): void {
  if (event.nextExpiry !== nextExpiry(due)) {
    world.find('the ledger knows when the next hold runs out', event.nextExpiry, nextExpiry(due))
  }
  judgeBrowsers(world, event, due)
  const { eventId } = event.address
  const digest = digestOf(due)
  for (const node of world.nodes) {
    const { name } = node.process
    const view = node.view(event.address)
    const told = node.told.get(eventId)!
    if (!view) continue
    if (digestOf(view.state) !== digest) {
      world.find('memory is what the journal says', name, imageOf(view.state), imageOf(due))
    }
    const { tip } = event.point
    const known = view.point.tip
    if (known !== null && known !== tip) world.find('memory knows its last command', name, known, tip)
    const { epoch } = view.epochPoint
    if (epoch !== event.epoch) world.find('memory knows the epoch', name, epoch, event.epoch)
    if (view.lostUpTo < event.lostUpTo) {
      world.find('memory knows what was lost', name, view.lostUpTo, event.lostUpTo)
    }
    const entries = event.journal.slice(told.from ?? 0).map(({ change }) => change)
    if (!areSame(told.changes, entries)) {
      world.find('followers have heard what the journal says', name, told.from, told.changes, entries)
    }
    if (world.plan.faults.length === 0 && told.startedAgain > 0) {
      world.find('followers only start again after a fault', name)
    }
  }
}

function areSame(heard: readonly Change[], entries: readonly Change[]): boolean {
  if (heard.length !== entries.length) return false
  return heard.every((change, index) => {
    const entry = entries[index]
    return change === entry || JSON.stringify(change) === JSON.stringify(entry)
  })
}

/** Compares what a reader knows at the end with the journal: it heard all there was to hear. */
function judgeBrowsers(world: World, event: SimulatedEvent, due: EventState): void {
  for (const { name, seats, isFollowing, event: watched } of world.browsers) {
    if (watched !== event) continue
    if (!isFollowing) world.find('a reader of the feed gets in', name)
    const [mine, journal] = [seats.join(), wordsOf(due).join()]
    if (mine !== journal) world.find('a reader ends with what the journal says', name, mine, journal)
  }
}

function judgeAnswers(world: World, history: History): void {
  const { events, plan, database } = world
  const hall = recordedHall(database.policies, plan.seatRules)
  const records = events.map(({ address, journal }): EventRecord => {
    return {
      eventId: address.eventId,
      organizationId: ORGANIZATION,
      plan: hall,
      journal: journal.map(({ change, command, actor, committedAt }) => {
        const { seq, kind, at, ...body } = change
        return { seq, kind, command, actor, at, committedAt, body: body as EntryBody }
      }),
      tables: null,
    }
  })
  const buyers = Array.from({ length: plan.buyers }, (_, index) => [`buyer-${index}`, `guest-${index}`])
  const people = [STAFF.userId, ...buyers.flat()]
  const users = new Map(people.map(user => [user as string, { organizationId: ORGANIZATION }]))
  const { findings } = checkRun(withoutLost(world, history), records, users)
  for (const { violation } of findings.all) world.find(violation.rule, ...violation.evidence)
}

/**
 * The database has lost commits: a command of theirs may have happened or not. What was answered meanwhile
 * without an effect of its own may tell of what is lost. Everything else is judged as always.
 */
function withoutLost({ events, lost, commands }: World, history: History): History {
  if (!lost) return history
  const kept = new Set(events.flatMap(({ journal }) => journal.map(({ command }) => command)))
  const operations = history.operations.flatMap((operation): Operation[] => {
    const given = commands.get(operation.op)!
    const isLost = given.some(command => lost.commands.has(command))
    if (!isLost && given.some(command => kept.has(command))) return [operation]
    const unknown: Operation = {
      ...operation,
      outcome: 'unknown',
      to: Number.POSITIVE_INFINITY,
      answer: { status: 0 },
    }
    if (isLost) return [unknown]
    const isMeanwhile = operation.from <= lost.to && operation.to >= lost.from
    if (!isMeanwhile || operation.outcome === 'unknown') return [operation]
    // Its answer may be kept under its key, and given again: it counts from when it was first asked for.
    return operation.key === undefined ? [] : [unknown]
  })
  return { ...history, operations }
}
