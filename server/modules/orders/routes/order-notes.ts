import * as contract from '@voelgoed/contract/orders'
import { ok, refuse } from '@voelgoed/core/result'
import { appendAudit } from '@voelgoed/kit/audit/audit-log'
import { uuidV7 } from '@voelgoed/kit/base/uuid-v7'
import { given } from '@voelgoed/kit/http/given'
import type { Router } from '@voelgoed/kit/http/serve'
import { inTenant } from '@voelgoed/kit/http/transactions'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import type { Kit } from '../../module.ts'
import { readUserNames } from '../../people/tables/users.ts'
import { insertOrderNote, listOrderNotes, type OrderNoteRow } from '../tables/order-notes.ts'
import { readOrder } from '../tables/orders.ts'

/** Staff note on an order what the next of them has to know. */
export function serveOrderNotes(router: Router, { database, clock }: Pick<Kit, 'database' | 'clock'>): void {
  router.serve(contract.listOrderNotes, async ({ principal, params }) => {
    const data = await database.tenant(principal.scope, async tx =>
      (await readOrder(tx, params.order)) ? answersOf(tx, await listOrderNotes(tx, params.order)) : null,
    )
    return data ? ok({ status: 200, body: { data } }) : refuse({ kind: 'order_not_found' })
  })

  router.serve(contract.addOrderNote, call =>
    inTenant(database, call.principal.scope, call, async tx => {
      const orderId = call.params.order
      // Writers of notes wait for each other here, so that the limit holds.
      const found = await readOrder(tx, orderId, { lock: true })
      if (!found) return refuse({ kind: 'order_not_found' })
      const limit = contract.MAX_NOTES_OF_ORDER
      if ((await listOrderNotes(tx, orderId)).length >= limit)
        return refuse({ kind: 'too_many_notes', limit })
      const by = given(call).actor.person.userId
      const text = call.body.note.trim()
      const note = await insertOrderNote(tx, { id: uuidV7(clock.now()), orderId, text, by })
      await appendAudit(tx, call.by, {
        action: 'order_note_added',
        entity: { type: 'order', id: orderId },
        eventId: found.order.event_id,
        // The text stands in the note.
        changes: { order_number: found.order.number, note_id: note.id },
      })
      return ok({ status: 201, body: { data: (await answersOf(tx, [note]))[0] } })
    }),
  )
}

async function answersOf(tx: TenantTx, notes: readonly OrderNoteRow[]) {
  const names = await readUserNames(tx, [...new Set(notes.map(note => note.written_by))])
  return notes.map(({ id, note, written_by, created_at }) => ({
    ...{ note_id: id, note, written_by, created_at: created_at.toISOString() },
    written_by_name: names.get(written_by) ?? null,
  }))
}
