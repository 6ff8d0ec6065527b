/**
 * Returns the members that were changed in a form and no others, because a colleague may have changed those
 * meanwhile. `before`: as the form was filled in.
 */
export function changedOnly<Members extends object>(before: Members, after: Members): Partial<Members> {
  const changed = Object.entries(after).filter(
    ([name, value]) => !isSameValue(value, before[name as keyof Members]),
  )
  return Object.fromEntries(changed) as Partial<Members>
}

/**
 * Holds what was changed in a form and is not saved, by name. Undefined: it is to be taken away. The rest is
 * always as the server has it.
 */
export type FormChanges<Values extends object> = {
  readonly [Name in keyof Values]?: Values[Name] | undefined
}

/** Returns what the form shows. */
export function withChanges<Values extends object>(before: Values, changes: FormChanges<Values>): Values {
  const after = Object.entries({ ...before, ...changes }).filter(([, value]) => value !== undefined)
  return Object.fromEntries(after) as Values
}

export function isSameValue(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
