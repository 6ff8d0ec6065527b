import * as contract from '@voelgoed/contract/audit'
import { type EventId, isUuid } from '@voelgoed/core/ids'
import { ok, refuse } from '@voelgoed/core/result'
import { listHoldsOf, type PersonsHoldRow } from '@voelgoed/engine/tables/holds'
import { listAudit } from '@voelgoed/kit/audit/audit-log'
import { readPage, toPage } from '@voelgoed/kit/http/paging'
import type { Router } from '@voelgoed/kit/http/serve'
import { findEvent } from '../../events/tables/events.ts'
import type { HoldHistory } from '../../holds/hold-history.ts'
import type { Kit } from '../../module.ts'
import { readUserNames } from '../../people/tables/users.ts'
import { type FunnelRow, readFunnel } from '../../reports/tables/funnel.ts'
import { type JournalEntry, listJournal } from '../tables/list-journal.ts'

const MAX_ENTRIES = 1_000

/** Tells those who have to find out what happened. */
export function serveAudit(router: Router, { database }: Pick<Kit, 'database'>, holds: HoldHistory): void {
  router.serve(contract.listAudit, async ({ principal, query }) => {
    const page = readPage(query, isUuid)
    if (!page.ok) return page
    const { after, limit } = page.value
    const { rows, names } = await database.tenant(principal.scope, async tx => {
      const rows = await listAudit(tx, {
        action: query.action,
        entityId: query.entity_id,
        userId: query.user_id,
        eventId: query.event_id,
        subjects: [query.seat_id, query.hold_id].filter(id => id !== undefined),
        from: utc(query.from),
        to: utc(query.to),
        after,
        limit: limit + 1,
      })
      const ids = new Set(rows.flatMap(row => row.user_id ?? []))
      return { rows, names: await readUserNames(tx, [...ids]) }
    })
    return ok({
      status: 200,
      body: toPage(
        rows,
        limit,
        row => row.id,
        row => ({
          ...row,
          at: row.at.toISOString(),
          user_name: (row.user_id && names.get(row.user_id)) ?? null,
        }),
      ),
    })
  })

  router.serve(contract.readJournal, async ({ principal, params, query }) => {
    const limit = Math.min(Number(query.limit ?? 100), MAX_ENTRIES)
    const read = await holds.readExactly(principal.scope, params.event as EventId, async tx =>
      (await findEvent(tx, params.event))
        ? listJournal(tx, params.event, {
            seatId: query.seat_id,
            holdId: query.hold_id,
            userId: query.user_id,
            from: utc(query.from),
            to: utc(query.to),
            afterSeq: Number(query.after_seq ?? 0),
            limit: limit + 1,
          })
        : null,
    )
    if (!read.ok) return read
    const rows = read.value
    if (rows === null) return refuse({ kind: 'event_not_found' })
    if (rows === 'too many holds') {
      const message = 'more than 200 holds lived in this time: give from and to, closer together'
      return refuse({ kind: 'invalid_request', errors: [{ path: '/query/from', message }] })
    }
    return ok({ status: 200, body: toPage(rows, limit, row => row.seq, journalAnswer) })
  })

  router.serve(contract.readFunnel, async ({ principal, params, query }) => {
    const funnel = await database.tenant(
      principal.scope,
      async tx =>
        (await findEvent(tx, params.event))
          ? readFunnel(tx, params.event, { from: utc(query.from), to: utc(query.to) })
          : null,
      { isolation: 'snapshot' },
    )
    if (!funnel) return refuse({ kind: 'event_not_found' })
    const days = [...new Set(funnel.rows.map(row => row.day))]
    const data = {
      time_zone: funnel.timeZone,
      counted_seq: funnel.countedSeq,
      seq: funnel.seq,
      total: stepsOf(funnel.rows),
      days: days.map(day => ({ day, ...stepsOf(funnel.rows.filter(row => row.day === day)) })),
    }
    return ok({ status: 200, body: { data } })
  })

  router.serve(contract.listHoldsOfPerson, async ({ principal, query }) => {
    const page = readPage(query)
    if (!page.ok) return page
    const { user_id: userId, email } = query
    if ((userId === undefined) === (email === undefined)) {
      const message = 'name the person by user_id or by email, not by both'
      return refuse({ kind: 'invalid_request', errors: [{ path: '/query/user_id', message }] })
    }
    const { after, limit } = page.value
    const person = userId === undefined ? { email: email! } : { userId }
    const read = await holds.readExactly(principal.scope, null, tx =>
      listHoldsOf(tx, person, { after, limit: limit + 1 }),
    )
    if (!read.ok) return read
    return ok({ status: 200, body: toPage(read.value, limit, row => row.id, holdOfPersonAnswer) })
  })
}

function stepsOf(rows: readonly FunnelRow[]): object {
  const sum = (step: FunnelRow['step']) =>
    rows.reduce((count, row) => (row.step === step ? count + row.count : count), 0)
  const byDetail = (step: FunnelRow['step']) => {
    const counts: Record<string, number> = {}
    for (const row of rows) {
      if (row.step === step) counts[row.detail] = (counts[row.detail] ?? 0) + row.count
    }
    return counts
  }
  return {
    attempted: sum('granted') + sum('refused'),
    granted: sum('granted'),
    refused: sum('refused'),
    refused_by_code: byDetail('refused'),
    held: sum('held'),
    extended: sum('extended'),
    paid: sum('paid'),
    expired: sum('expired'),
    released: sum('released'),
    released_by_reason: byDetail('released'),
  }
}

function journalAnswer(row: JournalEntry): object {
  const { address, ip, userAgent } = row.body as Record<'address' | 'ip' | 'userAgent', string | undefined>
  return {
    ...row,
    seq: Number(row.seq),
    at: row.at.toISOString(),
    address: address ?? ip ?? null,
    user_agent: userAgent ?? null,
  }
}

function holdOfPersonAnswer({ id, ...row }: PersonsHoldRow): object {
  return {
    hold_id: id,
    ...row,
    created_at: row.created_at.toISOString(),
    held_until: row.held_until.toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null,
  }
}

/** Postgres knows no offset of 16 hours and more, ISO 8601 does. */
function utc(time: string | undefined): string | undefined {
  if (time === undefined) return undefined
  const at = new Date(time)
  return Number.isNaN(at.getTime()) ? time : at.toISOString()
}
