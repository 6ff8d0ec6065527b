import type { Ledger } from '@voelgoed/engine/tables/ledger'
import type { CommittedView } from '@voelgoed/engine/view/committed-view'

/**
 * A copy is made under more than the journal: the revisions of the event and of the organization's
 * policy, and whether companion seats are kept by them. A policy is no entry in the journal, so two copies at
 * the same seq may show seats otherwise.
 */
export interface MadeUnder {
  readonly eventRevision: number
  readonly policyRevision: number
  readonly keepsCompanions: boolean
}

export function madeUnder({ eventRevision, policyRevision, state }: CommittedView): MadeUnder {
  const { settings, seats } = state
  const hasCompanions = seats.hall.companions.placeOf.size > 0
  const keepsCompanions = hasCompanions && settings.policy.enforce_accessibility_rules
  return { eventRevision, policyRevision, keepsCompanions }
}

export function textOf({ eventRevision, policyRevision, keepsCompanions }: MadeUnder): string {
  return `${eventRevision} ${policyRevision} ${Number(keepsCompanions)}`
}

/** Null: that is nothing we write, or a node wrote it that did not say. */
export function parseMadeUnder(text: string): MadeUnder | null {
  const [, eventRevision, policyRevision, keeps] = /^(\d{1,15}) (\d{1,15}) ([01])$/.exec(text) ?? []
  if (keeps === undefined) return null
  return {
    eventRevision: Number(eventRevision),
    policyRevision: Number(policyRevision),
    keepsCompanions: keeps === '1',
  }
}

type Revisions = Pick<Ledger, 'eventRevision' | 'policyRevision'>

/** Null is older than anything. */
export function isOlder(a: Revisions | null, b: Revisions): boolean {
  return a === null || a.eventRevision < b.eventRevision || a.policyRevision < b.policyRevision
}

export function isOf(a: Revisions, b: Revisions): boolean {
  return a.eventRevision === b.eventRevision && a.policyRevision === b.policyRevision
}
