import Stripe from 'stripe'

/** Pinned: what Stripe sends changes only when we say so. */
const API_VERSION = '2026-10-28.endive'

export interface StripeServer {
  readonly protocol: 'http' | 'https'
  readonly host: string
  readonly port: number
}

export interface StripeApi {
  readonly secretKey: string
  /** Another server that speaks the same, for tests. */
  readonly server?: StripeServer
  /** For one attempt, where a call does not set its own. */
  readonly attemptMs: number
}

/**
 * The SDK tries each call once, and once more with the same key when a connection closes that it had kept
 * open: `boundedCall` repeats it. It repeats 429 as well, which the SDK does not; it ends within one limit
 * for all attempts, where the SDK's default waits 80 s for each; and it knows whether an attempt before a
 * refusal may have taken effect.
 */
export function openStripeApi({ secretKey, server, attemptMs }: StripeApi): Stripe {
  return new Stripe(secretKey, {
    apiVersion: API_VERSION,
    maxNetworkRetries: 0,
    timeout: attemptMs,
    telemetry: false,
    ...server,
  })
}
