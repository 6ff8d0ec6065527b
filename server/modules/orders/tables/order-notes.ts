import type { TenantTx } from '@voelgoed/kit/postgres/database'

export interface OrderNoteRow {
  readonly id: string
  readonly note: string
  readonly written_by: string
  readonly created_at: Date
}

const COLUMNS = 'id, note, written_by, created_at'

/** Newest first: ids begin with the time. */
export function listOrderNotes(tx: TenantTx, orderId: string): Promise<OrderNoteRow[]> {
  return tx.query<OrderNoteRow & Record<string, unknown>>(
    `select ${COLUMNS} from order_notes where organization_id = $1 and order_id = $2 order by id desc`,
    [orderId],
  )
}

export async function insertOrderNote(
  tx: TenantTx,
  note: { readonly id: string; readonly orderId: string; readonly text: string; readonly by: string },
): Promise<OrderNoteRow> {
  const row = await tx.one<OrderNoteRow & Record<string, unknown>>(
    `insert into order_notes (organization_id, id, order_id, note, written_by) values ($1, $2, $3, $4, $5)
     returning ${COLUMNS}`,
    [note.id, note.orderId, note.text, note.by],
  )
  return row!
}
