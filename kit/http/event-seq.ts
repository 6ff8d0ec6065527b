import type { IncomingHttpHeaders } from 'node:http'
import type { EventId } from '@voelgoed/core/ids'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result } from '@voelgoed/core/result'
import type { TenantScope } from '../base/tenant.ts'
import type { Answer } from './call.ts'

/** Knows how far the events in the memory of this node are. Null: the event is not there. */
export interface EventSeqs {
  inMemory(scope: TenantScope, eventId: EventId): { readonly seq: number } | null
}

/**
 * The header `Voelgoed-Seq` says how far an event is. An answer that changed something says it; a request
 * that carries it asks for an answer that is as new. What a person reads of their own is so without it.
 */
const HEADER = 'voelgoed-seq'

/** `view`: of this node, which has by now what the request has changed. */
export function withSeq(
  result: Result<Answer, Refusal>,
  view: { readonly seq: number } | null,
): Result<Answer, Refusal> {
  if (!result.ok || view === null) return result
  const answer = result.value
  return ok({ ...answer, headers: { ...answer.headers, [HEADER]: String(view.seq) } })
}

/** 0: any answer will do. */
export function wantedSeq({ [HEADER]: wanted }: IncomingHttpHeaders): number {
  return typeof wanted === 'string' && /^\d{1,15}$/.test(wanted) ? Number(wanted) : 0
}
