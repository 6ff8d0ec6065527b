import { exportOrders, MAX_EXPORTED_ORDERS } from '@voelgoed/contract/reports'
import { writeCsv } from '@voelgoed/core/csv'
import { decimalText } from '@voelgoed/core/prices/currency'
import { ok } from '@voelgoed/core/result'
import { appendAudit } from '@voelgoed/kit/audit/audit-log'
import { readPage } from '@voelgoed/kit/http/paging'
import type { Router } from '@voelgoed/kit/http/serve'
import type { Kit } from '../../module.ts'
import type { OrderMetrics } from '../order-metrics.ts'
import { type ExportedOrder, listExportedOrders } from '../tables/orders-export.ts'
import { filterOf } from './orders.ts'

const COLUMNS = [
  'order_number',
  'status',
  'event',
  'created_at',
  'channel',
  'method',
  'name',
  'email',
  'phone',
  'reference',
  'tickets',
  'currency',
  'total',
  'fees',
  'tax',
  'refunds',
  'order_id',
]

/** Orders as a file, with the addresses of buyers: the audit log names who takes it. */
export function serveOrdersExport(
  router: Router,
  { database, log }: Pick<Kit, 'database' | 'log'>,
  metrics: Pick<OrderMetrics, 'exported'>,
): void {
  router.serve(exportOrders, async ({ principal, query, by }) => {
    const page = readPage(query)
    if (!page.ok) return page
    const { after } = page.value
    const filter = filterOf(query)
    const { rows, next } = await database.tenant(principal.scope, async tx => {
      const { rows: found, lookedTo } = await listExportedOrders(tx, {
        ...filter,
        ...(after !== undefined && { after }),
        limit: MAX_EXPORTED_ORDERS + 1,
      })
      const taken = found.slice(0, MAX_EXPORTED_ORDERS)
      await appendAudit(tx, by, {
        action: 'orders_exported',
        ...(filter.eventId !== undefined && { eventId: filter.eventId }),
        changes: { orders: taken.length, ...query },
      })
      return { rows: taken, next: found.length > taken.length ? taken.at(-1)!.id : lookedTo }
    })
    metrics.exported(rows.length)
    log.info({ user_id: by.userId, orders: rows.length }, 'exported orders')
    return ok({
      status: 200,
      bytes: Buffer.from(writeCsv([COLUMNS, ...rows.map(cellsOf)])),
      headers: {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': 'attachment; filename="orders.csv"',
        ...(next !== null && { 'voelgoed-next': next }),
      },
    })
  })
}

function cellsOf(order: ExportedOrder): string[] {
  const { currency } = order
  const money = (amount: number | null) =>
    amount === null || currency === null ? '' : decimalText(amount, currency)
  return [
    order.number,
    order.status,
    order.event_name,
    order.created_at.toISOString(),
    order.channel,
    order.method ?? '',
    order.contact_name ?? '',
    order.contact_email ?? '',
    order.contact_phone ?? '',
    order.reference ?? '',
    String(order.tickets),
    currency ?? '',
    money(order.total),
    money(order.fees),
    money(order.tax),
    money(order.refunds),
    order.id,
  ]
}
