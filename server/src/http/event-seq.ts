import type { IncomingHttpHeaders } from 'node:http'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result } from '@voelgoed/core/result'
import type { Answer } from './call.ts'

/**
 * How far an event is, in the header `Voelgoed-Seq`. An answer that changed something says it; a request
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
