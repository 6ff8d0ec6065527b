import type { MetricMakers } from '@voelgoed/kit/metrics/metric-makers'
import { NEWS_RESULTS } from './gateway-news.ts'
import type { PaymentWorkWatch, WaitingPayments } from './payment-work.ts'
import type { CheckoutWatch } from './settlements.ts'

const ENDS = [
  'paid',
  'paid_late',
  'other_places',
  'given_back',
  'declined',
  'cancelled',
  'replaced',
  'expired',
] as const

/** Shows what waits for the gateway. */
export function showWaitingPayments(
  { gauge }: MetricMakers,
  work: { readonly waiting: WaitingPayments },
): void {
  gauge(
    'voelgoed_payments_unknown',
    'Payments whose outcome is not known and is looked up, of all organizations, as this machine last saw it',
    'max',
    () => work.waiting.unknown,
  )
  gauge(
    'voelgoed_payments_unknown_oldest_seconds',
    'Since the oldest payment was made whose outcome is not known',
    'max',
    () => work.waiting.oldestSeconds,
  )
  gauge(
    'voelgoed_gateway_refunds_waiting',
    'Refunds that have not gone back through the gateway yet, those that were given up included',
    'max',
    () => work.waiting.refunds + work.waiting.givenUp,
  )
  gauge(
    'voelgoed_gateway_refunds_given_up',
    'Refunds that the gateway has not made and is not asked for any more: staff try them again, or give the money back',
    'max',
    () => work.waiting.givenUp,
  )
}

/** Counts checkouts with a gateway, by what becomes of them, and the work that payments need. */
export function createCheckoutMetrics({ counter }: MetricMakers): CheckoutWatch & PaymentWorkWatch {
  const ends = counter(
    'voelgoed_checkouts_total',
    'Checkouts by what became of them: paid; paid_late, the same places were free after the holds had run out; other_places; given_back, the money came and the places were gone; declined, which may be tried again; cancelled; replaced, its buyer changed the cart; expired',
    ['outcome'],
  )
  const steps = counter(
    'voelgoed_checkout_steps_total',
    'Payments that began and money that was settled (step), by how: in_batch, in one commit with commands of other buyers; alone, under the event’s lock, for what is unusual',
    ['step', 'how'],
  )
  const lookUps = counter(
    'voelgoed_payment_look_ups_total',
    'Payments without a known outcome that were looked up at the gateway, by what it said',
    ['outcome'],
  )
  const news = counter(
    'voelgoed_gateway_news_total',
    'Messages of the gateway that were kept, by what became of them: settled, refunded_outside (on the gateway’s own pages), came_back (a bank did not take a refund), not_ours, ignored, known (it came before), failed (it is tried again), given_up',
    ['result'],
  )
  const refunds = counter(
    'voelgoed_gateway_refunds_total',
    'Attempts to give money back through the gateway, by what it said: refunded, refunded_outside (on its own pages), lowered (a part went back there), pending, failed, unknown, given_up (it was not asked any more), or the reason of a refusal',
    ['outcome'],
  )
  // A series that begins at 1 has, to Prometheus, never increased.
  for (const outcome of ENDS) ends.inc({ outcome }, 0)
  for (const step of ['payment', 'sale']) for (const how of ['in_batch', 'alone']) steps.inc({ step, how }, 0)
  for (const result of [...NEWS_RESULTS, 'known', 'failed', 'given_up']) news.inc({ result }, 0)
  for (const outcome of ['refunded', 'failed', 'unknown']) refunds.inc({ outcome }, 0)
  lookUps.inc({ outcome: 'unknown' }, 0)
  return {
    settled({ kind, lateStep }) {
      if (kind === 'known') return
      const sold = lateStep === 'same_places' ? 'paid_late' : lateStep === 'other_places' ? lateStep : 'paid'
      ends.inc({ outcome: kind === 'given_back' ? kind : sold })
    },
    ended: outcome => ends.inc({ outcome }),
    stepped: (step, how) => steps.inc({ step, how }),
    lookedUp: outcome => lookUps.inc({ outcome }),
    news: result => news.inc({ result }),
    refund: outcome => refunds.inc({ outcome }),
  }
}
