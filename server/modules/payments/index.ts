import { type Kit, type Module, sweepOf } from '../module.ts'
import { serveBankStep } from './fake-bank/bank-step.ts'
import { createGatewayMetrics } from './gateway-metrics.ts'
import { type GatewayNeeds, type OpenedGateway, openGateway } from './open-gateway.ts'
import { type KeepNews, servePaymentWebhook } from './payment-webhook.ts'
import { sweepGatewayEvents } from './tables/gateway-events.ts'
import { sweepSimulatedWebhooks } from './tables/simulated-webhooks.ts'

interface Needs extends GatewayNeeds {
  readonly keepNews: KeepNews
}

/**
 * One gateway takes the money: Stripe, or a fake bank that plays a bank on a page of its own. This module
 * calls it, and hears its news over a webhook. Orders and checkouts, which are above it, know what the money
 * is for.
 */
export async function openPayments(kit: Kit, { keepNews, ...needs }: Needs): Promise<Module & OpenedGateway> {
  const metrics = createGatewayMetrics(kit.metrics, needs.config.stripe ? 'stripe' : 'simulator')
  const opened = await openGateway(kit, needs, metrics)
  const { gateway, fakeBank } = opened
  return {
    name: 'payments',
    ...opened,
    routes(router) {
      if (fakeBank) serveBankStep(router.fastify, fakeBank.party)
      servePaymentWebhook(router.fastify, gateway, keepNews)
    },
    jobs: fakeBank ? [fakeBank.sender] : [],
    sweeps: [
      sweepOf(kit.database, 'simulated_webhooks', sweepSimulatedWebhooks),
      sweepOf(kit.database, 'gateway_events', sweepGatewayEvents),
    ],
  }
}
