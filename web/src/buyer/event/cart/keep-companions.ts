import { AVAILABLE, type MapModel } from '../../../map/index.ts'
import type { BuyerSeats } from '../hall/buyer-seats.svelte.ts'
import { companionsOf } from './cart-advice.ts'

interface Buyer {
  /** Returns the seats that they hold now. */
  mine(): ReadonlySet<number>
  /** Asks the server whether this seat can be theirs. */
  isForMe(ordinal: number): Promise<boolean>
}

/**
 * The feed calls companion seats blocked that are kept for this buyer as well as those that staff block:
 * the server is asked which of the two they are.
 */
export async function keepCompanions(model: MapModel, seats: BuyerSeats, buyer: Buyer): Promise<void> {
  const wanted = companionsOf(model, buyer.mine())
  const known = new Set(wanted.filter(ordinal => seats.kept.has(ordinal)))
  seats.keep(known)
  const asked = wanted.filter(ordinal => !known.has(ordinal) && seats.statusOf(ordinal) !== AVAILABLE)
  const answers = await Promise.allSettled(asked.map(ordinal => buyer.isForMe(ordinal)))
  const mine = asked.filter((_, index) => {
    const answer = answers[index]!
    return answer.status === 'fulfilled' && answer.value
  })
  // The place may have been released meanwhile.
  const still = companionsOf(model, buyer.mine())
  if (mine.length > 0) seats.keep(new Set([...seats.kept, ...mine].filter(one => still.includes(one))))
}
