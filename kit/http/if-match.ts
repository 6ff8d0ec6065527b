import type { Refusal } from '@voelgoed/core/refusal'

/**
 * Returns whether a request says which revision it replaces: it must once other people work on the same
 * thing. A strong comparison, as RFC 9110 asks of If-Match.
 */
export function checkIfMatch(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  revision: number,
  isRequired: boolean,
): Refusal | null {
  const ifMatch = headers['if-match']
  if (ifMatch === undefined) return isRequired ? { kind: 'precondition_required', revision } : null
  const tags = String(ifMatch)
    .split(',')
    .map(tag => tag.trim())
  return tags.includes('*') || tags.includes(`"${revision}"`)
    ? null
    : { kind: 'precondition_failed', revision }
}
