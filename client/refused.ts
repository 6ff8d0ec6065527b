import type { Refusal } from '@voelgoed/core/refusal'

/** Every code of a problem that the server answers with. */
export type RefusalCode = Refusal['kind']

/**
 * Describes what a problem of this code has beside the usual members: `ProblemMembers<'zone_at_capacity'>` is
 * `{available}`.
 */
export type ProblemMembers<Code extends RefusalCode> =
  Extract<Refusal, { kind: Code }> extends infer R
    ? {
        readonly [K in Exclude<keyof R, 'kind' | 'detail' | 'retryAfterSeconds'> as MemberName<K>]: Value<
          K,
          R[K]
        >
      }
    : never

type MemberName<K> = K extends 'status' ? 'current_status' : K extends string ? SnakeCase<K> : never

type SnakeCase<S extends string> = S extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : ''

/** Times and ids travel as text, and members of members are named the same way. */
type Value<K, V> = K extends 'saleStart' | 'saleEnd' ? string | null : Plain<V>

type Plain<V> = V extends string
  ? PlainText<V>
  : V extends readonly (infer E)[]
    ? readonly Plain<E>[]
    : V extends object
      ? { readonly [M in keyof V as MemberName<M>]: Value<M, V[M]> }
      : V

/** Words stay as they are; ids, which have a mark besides, are text. */
type PlainText<V extends string> = keyof V extends keyof string ? V : string

export interface Problem {
  readonly title: string
  readonly status: number
  readonly code: RefusalCode
  readonly detail: string
  readonly retryable: boolean
  readonly request_id?: string
  readonly [member: string]: unknown
}

/** The server said no, and why. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly problem: Problem
  /** In seconds, when the server said how long to wait. */
  readonly retryAfter: number | null

  constructor(problem: Problem, retryAfter: number | null) {
    super(`${problem.title}. ${problem.detail}`)
    this.problem = problem
    this.retryAfter = retryAfter
  }

  get code(): RefusalCode {
    return this.problem.code
  }

  get status(): number {
    return this.problem.status
  }

  /** The same request may succeed later, unchanged. */
  get retryable(): boolean {
    return this.problem.retryable
  }

  /**
   * Narrows to one code, whose members are then known: `if (e.is('zone_at_capacity')) e.problem.available`.
   */
  is<Code extends RefusalCode>(code: Code): this is Refused & { readonly problem: ProblemMembers<Code> } {
    return this.code === code
  }
}

/**
 * No answer that could be understood: no network, a timeout, or something in between that is not the server.
 */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
}

export function readProblem(text: string): Problem | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && 'code' in value && 'title' in value
      ? (value as Problem)
      : null
  } catch {
    return null
  }
}
