import { Random } from '../random.ts'
import { ask } from './ask.ts'
import { thinkMs } from './buyers.ts'
import { policyWith, SEATS, STAFF } from './hall.ts'
import type { World } from './world.ts'

/**
 * Staff work meanwhile: some of it is alone under an event's lock, and some changes the policy of all events.
 */
export async function administer(world: World): Promise<void> {
  const { seed, rush } = world.plan
  const colleagues = rush ? RUSHING : 1
  await Promise.all([
    ...Array.from({ length: colleagues }, (_, index) => blockSeats(world, new Random(seed, 90 + index))),
    cancelAnEvent(world, new Random(seed, 80)),
    changePolicies(world, new Random(seed, 81)),
  ])
}

/** Colleagues who block seats in a rush, and how often each of them does. */
const RUSHING = 2
const BLOCKS_IN_A_RUSH = 4

/** A seat is blocked and unblocked again. */
async function blockSeats(world: World, random: Random): Promise<void> {
  const { rush } = world.plan
  for (let left = rush ? BLOCKS_IN_A_RUSH : random.between(0, 2); left > 0; left -= 1) {
    if (!rush) await world.scheduler.sleep(thinkMs(random), 'staff think')
    const event = random.pick(world.events)
    const ordinals = [random.below(SEATS)]
    for (const kind of ['block', 'unblock'] as const) {
      await ask(world, random, { person: STAFF, event, command: { kind, ordinals }, wish: null, key: null })
    }
  }
}

/** Some repeat it, because they got no answer or in spite of it. */
async function cancelAnEvent(world: World, random: Random): Promise<void> {
  if (!random.chance(0.15)) return
  await world.scheduler.sleep(random.next() * 2_500, 'an organizer thinks')
  const event = random.pick(world.events)
  for (let left = random.between(1, 2); left > 0; left -= 1) {
    await ask(world, random, { person: STAFF, event, command: { kind: 'cancel' }, wish: null, key: null })
  }
}

async function changePolicies(world: World, random: Random): Promise<void> {
  if (!random.chance(0.25)) return
  for (let left = random.between(1, 3); left > 0; left -= 1) {
    await world.scheduler.sleep(random.next() * 1_000, 'the policy changes')
    const [ttlSeconds, mostPerUser] = [random.between(1, 4), random.between(2, 6)]
    const isStrict = world.plan.seatRules && random.chance(0.7)
    world.database.setPolicy(policyWith(ttlSeconds, mostPerUser, isStrict))
  }
}
