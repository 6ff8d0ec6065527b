import type { CheckoutWatch } from './events/checkouts.ts'
import type { MetricMakers } from './metric-makers.ts'

const ENDS = ['paid', 'paid_late', 'other_places', 'given_back', 'declined', 'cancelled', 'expired'] as const

/** Checkouts with a gateway, by what becomes of them. */
export function createCheckoutMetrics({ counter }: MetricMakers): CheckoutWatch {
  const ends = counter(
    'voelgoed_checkouts_total',
    'Checkouts by what became of them: paid; paid_late, the same places were free after the holds had run out; other_places; given_back, the money came and the places were gone; declined, which may be tried again; cancelled; expired',
    ['outcome'],
  )
  // A series that begins at 1 has, to Prometheus, never increased.
  for (const outcome of ENDS) ends.inc({ outcome }, 0)
  return {
    settled({ kind, lateStep }) {
      if (kind === 'known') return
      const sold = lateStep === 'same_places' ? 'paid_late' : lateStep === 'other_places' ? lateStep : 'paid'
      ends.inc({ outcome: kind === 'given_back' ? kind : sold })
    },
    ended: outcome => ends.inc({ outcome }),
  }
}
