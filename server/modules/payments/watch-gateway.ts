import type { Result } from '@voelgoed/core/result'
import type { Time } from '@voelgoed/kit/base/time'
import type { FastifyBaseLogger } from 'fastify'
import type {
  CancelOutcome,
  Gateway,
  GatewayEvent,
  GatewayRefusal,
  NotFound,
  Payee,
  PaymentOutcome,
  RefundOutcome,
  UnknownReason,
  WebhookRefusal,
} from './gateway.ts'

export const GATEWAY_OPERATIONS = ['create_intent', 'look_up', 'cancel_intent', 'refund'] as const
type GatewayOperation = (typeof GATEWAY_OPERATIONS)[number]

type AnyOutcome = PaymentOutcome | NotFound | CancelOutcome | RefundOutcome

/** The watch counts the gateway's calls, repeats and messages. */
export interface GatewayWatch {
  called(operation: GatewayOperation, outcome: AnyOutcome['kind'] | GatewayRefusal['kind'], ms: number): void
  retried(reason: UnknownReason): void
  webhook(outcome: GatewayEvent['kind'] | WebhookRefusal['kind']): void
}

/** The same gateway, whose calls are counted and timed, and tell an operator what went wrong. */
export function watchGateway(
  gateway: Gateway,
  deps: { readonly watch: GatewayWatch; readonly log: FastifyBaseLogger; readonly time: Pick<Time, 'now'> },
): Gateway {
  const { watch, log, time } = deps
  const watched = async <Outcome extends AnyOutcome>(
    operation: GatewayOperation,
    { scope }: Payee,
    { orderId }: { readonly orderId: string },
    call: () => Promise<Result<Outcome, GatewayRefusal>>,
  ): Promise<Result<Outcome, GatewayRefusal>> => {
    const started = time.now()
    const result = await call()
    const ms = time.now() - started
    const outcome = result.ok ? result.value.kind : result.problem.kind
    watch.called(operation, outcome, ms)
    const line = {
      gateway: gateway.name,
      operation,
      outcome,
      order_id: orderId,
      organization_id: scope.organizationId,
      ms: Math.round(ms),
    }
    if (!result.ok && result.problem.kind === 'misconfigured') {
      log.error({ ...line, detail: result.problem.detail }, 'the payment gateway does not accept our calls')
    } else if (!result.ok && result.problem.kind === 'invalid_amount') {
      log.error({ ...line, detail: result.problem.detail }, 'the payment gateway does not take this amount')
    } else if (result.ok && result.value.kind === 'unknown') {
      log.warn({ ...line, reason: result.value.reason }, 'the outcome of a payment is unknown')
    } else {
      log.info(line, 'payment gateway')
    }
    return result
  }
  return {
    name: gateway.name,
    createIntent: (payee, intent) =>
      watched('create_intent', payee, intent, () => gateway.createIntent(payee, intent)),
    lookUp: (payee, intent) => watched('look_up', payee, intent, () => gateway.lookUp(payee, intent)),
    cancelIntent: (payee, intent) =>
      watched('cancel_intent', payee, intent, () => gateway.cancelIntent(payee, intent)),
    refund: (payee, refund) => watched('refund', payee, refund, () => gateway.refund(payee, refund)),
    amountStep: currency => gateway.amountStep(currency),
    maxAmount: currency => gateway.maxAmount(currency),
    cardFaults: card => gateway.cardFaults(card),
    readWebhook(body, headers) {
      const read = gateway.readWebhook(body, headers)
      watch.webhook(read.ok ? read.value.kind : read.problem.kind)
      if (!read.ok) log.warn({ gateway: gateway.name, reason: read.problem.kind }, 'a webhook was refused')
      return read
    },
  }
}
