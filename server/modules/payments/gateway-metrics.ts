import type { MetricMakers } from '@voelgoed/kit/metrics/metric-makers'
import { SEND_OUTCOMES, type SendOutcome } from './fake-bank/webhook-sender.ts'
import { type GatewayName, UNKNOWN_REASONS } from './gateway.ts'
import { GATEWAY_OPERATIONS, type GatewayWatch } from './watch-gateway.ts'

const CALLS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20]

/** Calls to the payment gateway, and what comes from it. */
export function createGatewayMetrics({ counter, histogram }: MetricMakers, gateway: GatewayName) {
  const seconds = histogram(
    'voelgoed_gateway_call_seconds',
    'Time of a call to the payment gateway with all its attempts, by operation and outcome; a refusal by its reason',
    ['gateway', 'operation', 'outcome'],
    CALLS,
  )
  const retries = counter(
    'voelgoed_gateway_retries_total',
    'Attempts of calls to the payment gateway that were repeated, by why they had no verdict',
    ['gateway', 'reason'],
  )
  const webhooks = counter(
    'voelgoed_gateway_webhooks_total',
    'Webhooks that were read, by kind; those that were refused by the reason',
    ['gateway', 'outcome'],
  )
  const sent = counter(
    'voelgoed_simulator_webhooks_total',
    'Attempts of the payment simulator to deliver a webhook, by outcome: delivered, failed, given_up',
    ['outcome'],
  )
  // A series that begins at 1 has, to Prometheus, never increased.
  for (const operation of GATEWAY_OPERATIONS) {
    for (const outcome of ['unknown', 'misconfigured']) seconds.zero({ gateway, operation, outcome })
  }
  for (const reason of UNKNOWN_REASONS) retries.inc({ gateway, reason }, 0)
  for (const outcome of ['bad_signature', 'too_old', 'malformed']) webhooks.inc({ gateway, outcome }, 0)
  for (const outcome of SEND_OUTCOMES) sent.inc({ outcome }, 0)

  return {
    called: (operation, outcome, ms) => seconds.observe({ gateway, operation, outcome }, ms / 1000),
    retried: reason => retries.inc({ gateway, reason }),
    webhook: outcome => webhooks.inc({ gateway, outcome }),
    sent: (outcome: SendOutcome) => sent.inc({ outcome }),
  } satisfies GatewayWatch & { sent(outcome: SendOutcome): void }
}

export type GatewayMetrics = ReturnType<typeof createGatewayMetrics>
