/** A refusal is returned, not thrown: the compiler then asks every caller what to do about it. */
export type Result<Value, Problem> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problem: Problem }

export function ok<Value>(value: Value): { readonly ok: true; readonly value: Value } {
  return { ok: true, value }
}

export function refuse<Problem>(problem: Problem): { readonly ok: false; readonly problem: Problem } {
  return { ok: false, problem }
}

/** For what our own code must guarantee. A failure is a bug of ours, never an answer to a user. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`impossible: ${message}`)
}

/** For the end of a switch over a closed union: the compiler refuses a kind that has no case. */
export function assertNever(value: never, what: string): never {
  throw new Error(`impossible: ${what} ${JSON.stringify(value)}`)
}
