import { randomUUID } from 'node:crypto'
import type { Result } from '@voelgoed/core/result'
import type { CallLimits } from '../server/modules/payments/bounded-call.ts'
import type {
  Gateway,
  GatewayRefusal,
  IntentAddress,
  NewIntent,
  Payee,
  PaymentOutcome,
} from '../server/modules/payments/gateway.ts'
import type { HandTime } from './hand-time.ts'
import { WITHIN_MS } from './wait-until.ts'

/** The buyer's card does this. The numbers are the same at both gateways. */
export const CARDS = {
  pays: '4242424242424242',
  declined: '4000000000000002',
  insufficient: '4000000000009995',
  step: '4000002500003155',
  late: '4000000000000341',
  disputed: '4000000000000259',
} as const
export type CardKind = keyof typeof CARDS
export const CVC = '987'

/** These can happen to a call at either gateway. */
export const SHARED_FAULTS = [
  'time_out_before',
  'time_out_after',
  'connection_lost_before',
  'connection_lost_after',
  'error_before',
  'error_after',
  'rate_limited',
] as const
type SharedFault = (typeof SHARED_FAULTS)[number]

/** Their time passes by hand; the SDK of Stripe keeps the limit of an attempt in real time as well. */
export const LIMITS: CallLimits = {
  attempts: 3,
  attemptMs: WITHIN_MS,
  totalMs: 4 * WITHIN_MS,
  pauseMs: 0,
}

export interface SignedWebhook {
  readonly body: Buffer
  readonly headers: Record<string, string>
}

/** One implementation of the port, with its other side: what the buyer does, what its books say. */
export interface GatewayUnderTest {
  readonly gateway: Gateway
  readonly payee: Payee
  /** Another organization. */
  readonly neighbour: Payee
  readonly time: HandTime
  /** The server's clock and the gateway's. */
  readonly clock: { now(): number; advance(ms: number): void }
  /** From the button to the bank's answer: the last outcome that the server hears. */
  buy(order: NewIntent, card: CardKind): Promise<Result<PaymentOutcome, GatewayRefusal>>
  /** The server's part of it: the order with what the page sends along. */
  withCard(order: NewIntent, card: CardKind): NewIntent
  answerStep(order: NewIntent, answer: 'accept' | 'decline'): Promise<void>
  /** Until what is pending has been decided. */
  passLate(): Promise<void>
  /** The next calls of the server meet these. */
  fail(...faults: SharedFault[]): void
  /** All that is left of them is gone. */
  calm(): void
  /** Reads the gateway's own books. */
  books(orderId: string): Promise<{ captured: number[]; refunded: number[] }>
  /** Returns what it has to tell, signed now; each once. */
  takeWebhooks(): Promise<SignedWebhook[]>
  sign(body: string, at?: number, secret?: 'wrong'): SignedWebhook
  /** A message of a kind that the server does not follow. */
  unknownMessage(): string
  /** Log lines, errors and rows so far, as one text. */
  traces(): Promise<string>
  close(): Promise<void>
}

export function newOrder(amount = 80_000): NewIntent {
  return {
    orderId: randomUUID(),
    amount,
    currency: 'ZAR',
    metadata: { order_number: 'VG-1' },
    returnUrl: 'https://tickets.example.org/back',
  }
}

export function addressOf(
  { orderId }: NewIntent,
  { clock }: Pick<GatewayUnderTest, 'clock'>,
  intentId: string | null = null,
): IntentAddress {
  return { orderId, intentId, createdAt: clock.now() }
}

/** Both clocks of a test, from a day at noon on. */
export class TestDay {
  #now = Date.UTC(2026, 10, 16, 12)
  now(): number {
    return this.#now
  }
  advance(ms: number): void {
    this.#now += ms
  }
}
