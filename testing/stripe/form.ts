/** Stripe's bodies and queries: `metadata[order_id]=7&expand[0]=charges` as objects in objects. */
export interface Form {
  readonly [key: string]: string | Form
}

export function readForm(text: string): Form {
  const root: Record<string, unknown> = {}
  for (const [name, value] of new URLSearchParams(text)) {
    const [, first, rest] = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name) ?? []
    if (first === undefined) throw new Error(`not a parameter: ${name}`)
    const path = [first, ...[...rest!.matchAll(/\[([^[\]]*)\]/g)].map(([, key]) => key!)]
    let at = root
    for (const key of path.slice(0, -1)) {
      at[key] ??= {}
      at = at[key] as Record<string, unknown>
    }
    at[path.at(-1)!] = value
  }
  return root as Form
}

export function textIn(form: Form | string | undefined, ...path: readonly string[]): string | undefined {
  let at: Form | string | undefined = form
  for (const key of path) at = typeof at === 'object' ? at[key] : undefined
  return typeof at === 'string' ? at : undefined
}

/** The texts of an object, such as metadata. */
export function textsIn(form: Form, key: string): Record<string, string> {
  const found = form[key]
  if (typeof found !== 'object') return {}
  return Object.fromEntries(
    Object.entries(found).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}
