import { randomUUID } from 'node:crypto'
import type {
  CheckoutId,
  CommandId,
  EventId,
  HoldId,
  OrganizationId,
  TicketId,
  UserId,
} from '@voelgoed/core/ids'

/**
 * One node as the lab drives it: the same as `npm start`, and a channel to its parent process, for what has
 * no route yet (a payment that starts, a hold that becomes a ticket), for turning this process's wall clock,
 * and for forgetting every event that is idle. Production code knows nothing of it.
 */
type Told =
  | PaymentCommand
  | { readonly kind: 'clock'; readonly offsetMs: number }
  | { readonly kind: 'forget' }

interface PaymentCommand {
  readonly kind: 'start_payment' | 'sell'
  readonly id: number
  readonly organizationId: string
  readonly eventId: string
  readonly userId: string
  readonly holdIds: readonly string[]
  readonly checkoutId: string
  readonly ticketIds: readonly string[]
  readonly cartToken: string | null
}

const RealDate = Date
let clockOffsetMs = 0
/**
 * Everything in this process that asks for the time of day gets it from here: ours, the driver's, the log's.
 */
globalThis.Date = class extends RealDate {
  constructor(...args: unknown[]) {
    if (args.length === 0) super(RealDate.now() + clockOffsetMs)
    else super(...(args as [number]))
  }
  static override now = () => RealDate.now() + clockOffsetMs
} as DateConstructor

// Only now: a module that keeps a reference to Date.now must get the one above.
// By its default: a bundle of tests has no other of a CommonJS module that is imported late.
const { default: pino } = await import('pino')
const { systemClock } = await import('@voelgoed/kit/base/clock')
const { parseConfig } = await import('../../../server/config.ts')
const { startNode } = await import('../../../server/node.ts')
const { TenantScope } = await import('@voelgoed/kit/base/tenant')

const config = parseConfig(process.env)
const log = pino({ level: config.logLevel }, pino.destination({ fd: 2, sync: false }))
const node = await startNode(config, config.databaseUrl!, { log, clock: systemClock })

process.on('message', (told: Told) => {
  if (told.kind === 'clock') clockOffsetMs = told.offsetMs
  else if (told.kind === 'forget') node.lanes.tidy(0)
  else void pay(told).then(answer => process.send?.({ id: told.id, answer }))
})
const stop = () => void node.drain().finally(() => process.exit(0))
process.once('SIGTERM', stop)
// The parent process is gone: no other process would end this one.
process.once('disconnect', stop)
process.send?.({ ready: await node.listen() })

async function pay(told: PaymentCommand): Promise<object> {
  const scope = TenantScope.of(told.organizationId as OrganizationId)
  const person = {
    userId: told.userId as UserId,
    role: 'customer' as const,
    membershipTier: null,
    membershipStatus: null,
  }
  const common = {
    commandId: randomUUID() as CommandId,
    actor: { person, ip: null, source: 'web' as const },
    checkoutId: told.checkoutId as CheckoutId,
  }
  const holdIds = told.holdIds as HoldId[]
  const { cartToken } = told
  const holds = holdIds.map(holdId => {
    return { holdId, againAs: randomUUID() as HoldId, cartToken, ended: null }
  })
  const answer = await node.lanes
    .lane(scope, told.eventId as EventId)
    .submit(
      told.kind === 'sell'
        ? { kind: 'sell', ...common, buyer: person, holds, ticketIds: told.ticketIds as TicketId[] }
        : { kind: 'start_payment', ...common, holdIds },
    )
    .catch((error: Error) => ({ kind: 'failed' as const, message: error.message }))
  switch (answer.kind) {
    case 'decided':
      return answer.outcome.ok
        ? { kind: 'ok', holds: answer.outcome.value.holds }
        : { kind: 'refused', code: answer.outcome.problem.kind }
    case 'refused': {
      const { kind: code, detail } = answer.refusal as { kind: string; detail?: string }
      return { kind: 'refused', code, detail }
    }
    case 'replayed':
      return { kind: 'refused', code: 'internal_error' }
    case 'failed':
      return { kind: 'failed', message: answer.message }
  }
}
