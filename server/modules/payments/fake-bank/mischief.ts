/** This goes wrong with the fake bank's webhooks, for tests. `calm`: nothing. */
export interface Mischief {
  /** Decides on a webhook when it is written into the queue. */
  webhook(): { readonly delayMs: number; readonly isLost: boolean }
  /** False: the fake bank does not hear that the webhook was received, and sends it again. */
  hearsDelivery(): boolean
}

export const calm: Mischief = {
  webhook: () => ({ delayMs: 0, isLost: false }),
  hearsDelivery: () => true,
}

const MAX_DELAY_MS = 30 * 60_000

/**
 * Webhooks late and so out of order, twice, or never, as follows from a seed. `random`: from 0 up to but not
 * including 1.
 */
export function seededMischief(random: () => number): Mischief {
  return {
    webhook: () => ({
      delayMs: random() < 0.5 ? 0 : Math.floor(random() * MAX_DELAY_MS),
      isLost: random() < 0.15,
    }),
    hearsDelivery: () => random() >= 0.25,
  }
}
