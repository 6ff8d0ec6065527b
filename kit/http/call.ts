import type { ServerResponse } from 'node:http'
import type { BodyOf, ParamsOf, QueryOf, Route } from '@voelgoed/contract/route'
import type { Refusal } from '@voelgoed/core/refusal'
import type { Result } from '@voelgoed/core/result'
import type { AuditActor } from '../audit/audit-log.ts'
import type { AllowedSite } from './allowed-origins.ts'
import type { Principal, SignedIn } from './principals.ts'

/** A request after everything that can be checked without knowing what it is for. */
export interface Call<R extends Route = Route> {
  readonly route: R
  readonly principal: R['access'] extends 'public' ? null : R['access'] extends 'root' ? Principal : SignedIn
  readonly params: ParamsOf<R>
  readonly query: QueryOf<R>
  readonly body: BodyOf<R>
  /** The bytes of the body: what an idempotency key is bound to. */
  readonly bytes: Buffer
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The actor and the address, for the audit log. */
  readonly by: AuditActor
  /** The caller's address, normalised, for the audit log. */
  readonly ip: string
  /** Limits by address count this: an IPv4 address, or the /64 of an IPv6 address. */
  readonly addressKey: string
  readonly requestId: string
  /** The site whose page sent it; null: our own page, a program, or a site that no organization allows. */
  readonly site: AllowedSite | null
}

export type Answer =
  | TakenOver
  | { readonly status: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }
  /** JSON that is written already: an answer as it is stored under its key. */
  | { readonly status: number; readonly json: Buffer; readonly headers?: Readonly<Record<string, string>> }
  | {
      readonly status: number
      readonly bytes: Buffer | null
      readonly headers: Readonly<Record<string, string>>
    }

/** The handler takes the connection over and writes to it for as long as it lives. */
export interface TakenOver {
  readonly status: 200
  readonly headers?: Readonly<Record<string, string>>
  take(response: ServerResponse, headers: object): void
}

export type Handler<R extends Route> = (
  call: Call<R>,
) => Promise<Result<Answer, Refusal>> | Result<Answer, Refusal>
