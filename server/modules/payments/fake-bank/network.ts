import type { Time } from '@voelgoed/kit/base/time'
import type { Attempt, CallLimits } from '../bounded-call.ts'
import type { UnknownReason } from '../gateway.ts'

/** The network lies between the server and the fake bank. */
export type Network = <Answer>(attempt: () => Promise<Attempt<Answer>>) => Promise<Attempt<Answer>>

export const goodNetwork: Network = attempt => attempt()

const CALL_FAULTS = [
  /** The request does not arrive. */
  'time_out_before',
  'connection_lost_before',
  'error_before',
  'rate_limited',
  /** It takes effect, and the answer does not arrive. */
  'time_out_after',
  'connection_lost_after',
  'error_after',
  /** It takes effect long after the caller has given up. */
  'arrives_late',
  /** The webhook is there before the answer. */
  'webhook_first',
] as const
export type CallFault = (typeof CALL_FAULTS)[number]

/** Half of the calls meet a fault. `random`: from 0 up to but not including 1, from a seed. */
export function seededFaults(random: () => number): () => CallFault | null {
  return () => (random() < 0.5 ? null : CALL_FAULTS[Math.floor(random() * CALL_FAULTS.length)]!)
}

export interface BadNetworkDeps {
  /** Chooses the fault of the next call. Null: it has none. */
  readonly next: () => CallFault | null
  readonly time: Pick<Time, 'after'>
  readonly limits: CallLimits
  /** Delivers the webhooks that are due. */
  readonly deliver: () => Promise<unknown>
  /** The caller will hear nothing more of this call. */
  readonly onSilence?: () => void
}

/** Does to calls what networks and gateways do, for tests. */
export function badNetwork({ next, time, limits, deliver, onSilence }: BadNetworkDeps): Network {
  const silence = () => {
    onSilence?.()
    return new Promise<never>(() => {})
  }
  return async attempt => {
    const fault = next()
    switch (fault) {
      case null:
        return attempt()
      case 'webhook_first': {
        const answer = await attempt()
        await deliver()
        return answer
      }
      case 'connection_lost_before':
        return failed('connection_lost')
      case 'error_before':
        return failed('gateway_error')
      case 'rate_limited':
        return failed('rate_limited')
      case 'connection_lost_after':
        await attempt()
        return failed('connection_lost')
      case 'error_after':
        await attempt()
        return failed('gateway_error')
      case 'time_out_before':
        return silence()
      case 'time_out_after':
        await attempt()
        return silence()
      case 'arrives_late':
        time.after(limits.totalMs, () => void attempt())
        return silence()
    }
  }
}

function failed(reason: UnknownReason) {
  return { kind: 'failed', reason, again: true } as const
}
