import type { UserId } from '@voelgoed/core/ids'
import type { Random } from '../random.ts'
import type { SimulatedEvent } from './simulated-event.ts'
import type { World } from './world.ts'

/** A buyer gives up on an answer after this long. */
const PATIENCE_MS = 9_000

/**
 * A buyer reads what they have, of any node: the answer has all that was committed before the node was asked,
 * whatever the node has heard of it.
 */
export async function readOwn(
  world: World,
  random: Random,
  userId: UserId,
  event: SimulatedEvent,
): Promise<void> {
  const { scheduler } = world
  const node = random.pick(world.nodes)
  await new Promise<void>(resolve => {
    const giveUp = scheduler.schedule(PATIENCE_MS, null, `${userId} gives up`, resolve)
    const end = () => {
      giveUp()
      resolve()
    }
    scheduler.schedule(random.next() * 5, null, `${userId} asks ${node.process.name} for a cart`, () => {
      const { process } = node
      if (!process.isAlive) {
        end()
        return
      }
      scheduler.schedule(0, process, 'is asked for a cart', () => {
        const { lost } = world
        const { length } = event.journal
        void node.readOwn(event.address).then(read => {
          if (!process.isAlive) return
          end()
          // Postgres is asked in its place, or has lost meanwhile what was there before.
          if (!read?.isCurrent || world.lost !== lost) return
          const { seq, point, state } = read.view
          const isLost = event.journal[seq - 1]?.command !== (point.tip ?? undefined)
          if (seq < length || (lost !== null && isLost)) {
            const mine = [...(state.users.get(userId)?.all.heap ?? [])].map(({ holdId }) => holdId)
            world.find(
              'what a person reads of their own is as new as what they did',
              userId,
              seq,
              length,
              mine,
            )
          }
          world.judgeView('what a person reads of their own is what is committed', process.name, read.view)
        }, end)
      })
    })
  })
}
