import * as contract from '@voelgoed/contract/members'
import type { BodyOf } from '@voelgoed/contract/route'
import { MEMBERSHIP_STATUSES, type MembershipStatus, mayManage, type Role } from '@voelgoed/core/access'
import { EMAIL_LENGTH, isEmail, normaliseEmail } from '@voelgoed/core/email'
import { ok } from '@voelgoed/core/result'
import { appendAudits } from '@voelgoed/kit/audit/audit-log'
import type { Principals } from '@voelgoed/kit/http/principals'
import type { Router } from '@voelgoed/kit/http/serve'
import { inTenant } from '@voelgoed/kit/http/transactions'
import { announceOwnOrganizationChanged } from '@voelgoed/kit/postgres/announcements'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import type { Kit } from '../../module.ts'
import { lockMembers, type Member, type Membership, writeMemberships } from '../tables/members.ts'

type Row = BodyOf<typeof contract.importMembers>['rows'][number]
type Outcome = (typeof contract.MEMBER_OUTCOMES)[number]

interface Judged {
  readonly line: number
  readonly email: string
  readonly outcome: Outcome
  readonly before: Membership | null
  readonly after: Membership | null
  readonly userId: string | null
}

export interface MemberNeeds {
  readonly principals: Pick<Principals, 'forgetOrganization'>
  /** Queues a mail whose reader confirms the address: until then the membership does not count. */
  readonly askToConfirmMembership: (
    tx: TenantTx,
    owner: { readonly userId: string; readonly email: string },
  ) => Promise<void>
}

/** Memberships from a spreadsheet, with a report on each line. */
export function serveMembers(
  router: Router,
  { database, log }: Kit,
  { principals, askToConfirmMembership }: MemberNeeds,
): void {
  router.serve(contract.importMembers, async call => {
    const { dry_run, rows } = call.body
    const { scope, user } = call.principal
    let changed = 0
    const result = await inTenant(database, scope, call, async tx => {
      const read = readRows(rows)
      const emails = [...new Set(read.flatMap(({ fault, email }) => (fault === null ? [email] : [])))]
      const members = await lockMembers(tx, emails, { forUpdate: !dry_run })
      const judged = read.map(row => judge(row, members.get(row.email) ?? null, user.role))
      const changes = judged.filter(({ outcome }) => outcome === 'changed')
      const waiting = judged.filter(({ outcome }) => outcome === 'not_confirmed')
      changed = changes.length
      if (!dry_run) {
        for (const { userId, email } of waiting) await askToConfirmMembership(tx, { userId: userId!, email })
      }
      const written = [...changes, ...waiting.filter(({ before, after }) => !isSame(before, after))]
      if (!dry_run && written.length > 0) {
        await writeMemberships(
          tx,
          written.map(({ userId, after }) => ({ userId: userId!, membership: after })),
        )
        await appendAudits(
          tx,
          call.by,
          written.map(({ userId, before, after, line, outcome }) => ({
            action: 'membership_imported',
            entity: { type: 'user', id: userId! },
            changes: { before, after, line, ...(outcome === 'not_confirmed' && { not_confirmed: true }) },
          })),
        )
        await announceOwnOrganizationChanged(tx)
      }
      const lines = judged.map(({ userId, ...line }) => line)
      return ok({ status: 200, body: { data: { dry_run, changed, not_confirmed: waiting.length, lines } } })
    })
    if (!result.ok || dry_run || changed === 0) return result
    // This node forgets before it answers; the others when they hear the announcement.
    principals.forgetOrganization(scope.organizationId)
    log.info(
      { reqId: call.requestId, organization_id: scope.organizationId, changed },
      'imported memberships',
    )
    return result
  })
}

interface ReadRow {
  readonly line: number
  readonly email: string
  readonly membership: Membership | null
  readonly fault: Outcome | null
}

function readRows(rows: readonly Row[]): ReadRow[] {
  const read = rows.map(readRow)
  const last = new Map(read.flatMap(({ email, fault }, index) => (fault === null ? [[email, index]] : [])))
  return read.map((row, index) =>
    row.fault === null && last.get(row.email) !== index ? { ...row, fault: 'twice' } : row,
  )
}

const MAX_TIER = 100

function readRow({ line, email: given, tier: givenTier, status: givenStatus }: Row): ReadRow {
  const tier = givenTier.trim()
  const status = givenStatus.trim().toLowerCase()
  const text = given.trim()
  // Normalising takes the square of the length of some texts, so it gets no long ones.
  const email = text.length > EMAIL_LENGTH ? text : normaliseEmail(text)
  const membership = tier === '' ? null : { tier, status: (status || 'active') as MembershipStatus }
  const row = { line, email, membership }
  if (text.length > EMAIL_LENGTH || !isEmail(email)) return { ...row, fault: 'not_an_email' }
  if (tier.length > MAX_TIER) return { ...row, fault: 'tier_too_long' }
  if (status !== '' && !(MEMBERSHIP_STATUSES as readonly string[]).includes(status)) {
    return { ...row, fault: 'unknown_status' }
  }
  return { ...row, fault: tier === '' && status !== '' ? 'status_without_tier' : null }
}

function judge(row: ReadRow, member: Member | null, manager: Role): Judged {
  const { line, email, membership } = row
  const before = member?.membership ?? null
  const told = (outcome: Outcome): Judged => {
    const after = outcome === 'changed' || outcome === 'not_confirmed' ? membership : before
    return { line, email, outcome, before, after, userId: member?.userId ?? null }
  }
  if (row.fault !== null) return { ...told(row.fault), before: null, after: null }
  if (member === null) return told('no_account')
  // Anyone may have signed up with the address: a membership waits until its reader has confirmed it.
  const isWaiting = membership !== null && !member.isEmailProven
  if (!isWaiting && isSame(before, membership)) return told('same')
  if (!mayManage(manager, { from: member.role })) return told('not_allowed')
  return told(isWaiting ? 'not_confirmed' : 'changed')
}

function isSame(before: Membership | null, after: Membership | null): boolean {
  return before?.tier === after?.tier && before?.status === after?.status
}
