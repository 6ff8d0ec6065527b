import * as contract from '@voelgoed/contract/whitelist'
import { isEmail, normaliseEmail } from '@voelgoed/core/email'
import { readWhitelistCsv, type WhitelistRow, writeWhitelistCsv } from '@voelgoed/core/guests/whitelist-csv'
import { MAX_WHITELIST } from '@voelgoed/core/guests/whitelist-limits'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import { appendAudit } from '@voelgoed/kit/audit/audit-log'
import type { Answer, Call } from '@voelgoed/kit/http/call'
import { readPage, toPage } from '@voelgoed/kit/http/paging'
import type { Router } from '@voelgoed/kit/http/serve'
import { inTenant } from '@voelgoed/kit/http/transactions'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { isOpen, notNow } from '../../events/change-an-event.ts'
import { findEvent } from '../../events/tables/events.ts'
import type { Kit } from '../../module.ts'
import type { GuestMetrics } from '../guest-metrics.ts'
import { emailsOfUsers } from '../tables/place-guests.ts'
import {
  addWhitelistEntries,
  countWhitelist,
  listWhitelist,
  lockWhitelist,
  removeWhitelistEntry,
} from '../tables/whitelist.ts'

/** So many faults of a CSV text are listed. */
const MAX_FAULTS = 100

/** The people whom staff let into an event by name. */
export function serveWhitelist(
  router: Router,
  { database, clock, log }: Pick<Kit, 'database' | 'clock' | 'log'>,
  metrics: GuestMetrics,
): void {
  router.serve(contract.listWhitelist, async ({ principal, params, query }) => {
    const page = readPage(query)
    if (!page.ok) return page
    const { after, limit } = page.value
    const rows = await database.tenant(principal.scope, async tx =>
      (await findEvent(tx, params.event))
        ? listWhitelist(tx, params.event, {
            ...(query.query !== undefined && { containing: normaliseEmail(query.query) }),
            ...(after !== undefined && { after }),
            limit: limit + 1,
          })
        : null,
    )
    if (!rows) return refuse({ kind: 'event_not_found' })
    return ok({
      status: 200,
      body: toPage(
        rows,
        limit,
        row => row.id,
        ({ id, email_key, added_at, ...row }) => ({
          entry_id: id,
          email: email_key,
          ...row,
          added_at: added_at.toISOString(),
        }),
      ),
    })
  })

  router.serve(contract.exportWhitelist, async ({ principal, params }) => {
    const rows = await database.tenant(principal.scope, async tx =>
      (await findEvent(tx, params.event)) ? listWhitelist(tx, params.event, { limit: MAX_WHITELIST }) : null,
    )
    if (!rows) return refuse({ kind: 'event_not_found' })
    const text = writeWhitelistCsv(rows.map(({ email_key: email, note }) => ({ email, note })))
    return ok({
      status: 200,
      bytes: Buffer.from(text),
      headers: {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': 'attachment; filename="whitelist.csv"',
      },
    })
  })

  router.serve(contract.addToWhitelist, call =>
    add(call, 'added', async tx => {
      const { entries } = call.body
      const ids = entries.flatMap(entry => ('user_id' in entry ? [entry.user_id.toLowerCase()] : []))
      const emails = ids.length > 0 ? await emailsOfUsers(tx, ids) : new Map<string, string>()
      const rows = new Map<string, WhitelistRow>()
      const faults: { path: string; message: string }[] = []
      for (const [index, entry] of entries.entries()) {
        const note = entry.note?.trim() ?? null
        if ('user_id' in entry) {
          const email = emails.get(entry.user_id.toLowerCase())
          if (email === undefined) return refuse({ kind: 'user_not_found' })
          rows.set(email, { email, note })
        } else {
          const email = normaliseEmail(entry.email)
          if (isEmail(email)) rows.set(email, { email, note })
          else faults.push({ path: `/entries/${index}/email`, message: 'must be an e-mail address' })
        }
      }
      if (faults.length > 0) return refuse({ kind: 'invalid_request', errors: faults })
      return ok([...rows.values()])
    }),
  )

  router.serve(contract.importWhitelist, call => {
    // Before the transaction: no other change of the list waits for it.
    const read = readWhitelistCsv(call.body.csv)
    return add(call, 'imported', async () => {
      if (read.ok) return read
      const { problem } = read
      return refuse({ kind: 'csv_invalid', errors: problem.slice(0, MAX_FAULTS), faults: problem.length })
    })
  })

  router.serve(contract.removeFromWhitelist, async call => {
    const { event, entry } = call.params
    const result = await inTenant(database, call.principal.scope, call, async tx => {
      if (!(await lockWhitelist(tx, event))) return refuse({ kind: 'event_not_found' })
      if (!(await removeWhitelistEntry(tx, event, entry))) return refuse({ kind: 'not_found' })
      const total = await countWhitelist(tx, event)
      await appendAudit(tx, call.by, {
        action: 'whitelist_entry_removed',
        entity: { type: 'event', id: event },
        changes: { entry_id: entry, total },
      })
      return ok({ status: 200, body: { data: { entry_id: entry, total } } })
    })
    if (result.ok) metrics.whitelistChanged('removed', 1)
    return result
  })

  /** All or nothing. The audit says how many, and no address: those go when their entries go. */
  async function add(
    call: Call<typeof contract.addToWhitelist | typeof contract.importWhitelist>,
    change: 'added' | 'imported',
    readRows: (tx: TenantTx) => Promise<Result<readonly WhitelistRow[], Refusal>>,
  ): Promise<Result<Answer, Refusal>> {
    const eventId = call.params.event
    const { userId } = call.principal.user
    let added = 0
    const result = await inTenant(database, call.principal.scope, call, async tx => {
      if (!(await lockWhitelist(tx, eventId))) return refuse({ kind: 'event_not_found' })
      const event = (await findEvent(tx, eventId))!
      if (!isOpen(event)) return refuse(notNow(event))
      const rows = await readRows(tx)
      if (!rows.ok) return rows
      const counts = await addWhitelistEntries(tx, eventId, rows.value, { userId, now: clock.now() })
      if (counts.total > MAX_WHITELIST) return refuse({ kind: 'whitelist_full', limit: MAX_WHITELIST })
      added = counts.added
      const data = { added, known: rows.value.length - added, total: counts.total }
      await appendAudit(tx, call.by, {
        action: change === 'added' ? 'whitelist_extended' : 'whitelist_imported',
        entity: { type: 'event', id: eventId },
        changes: data,
      })
      return ok({ status: 201, body: { data } })
    })
    if (!result.ok) return result
    metrics.whitelistChanged(change, added)
    if (change === 'imported') {
      log.info({ reqId: call.requestId, event_id: eventId, added }, 'imported a whitelist')
    }
    return result
  }
}
