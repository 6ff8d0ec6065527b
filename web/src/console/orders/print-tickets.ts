import type { Desk } from '../kit/desk.svelte.ts'
import { saveFile } from '../kit/save-file.ts'

/** The tickets of an order as PDF files to print: large orders come in parts. */
export async function printTickets(
  { session, language }: Desk,
  order: { readonly order_id: string; readonly order_number: string },
): Promise<void> {
  const params = { order: order.order_id }
  for (let part = 1, parts = 1; part <= parts; part += 1) {
    const query = { language: language.code, part: String(part) }
    const answer = await session.client.bytes('GET /api/orders/:order/tickets.pdf', { params, query })
    parts = Number(answer.headers.get('voelgoed-parts') ?? 1)
    const name = `${order.order_number}${parts > 1 ? `-${part}` : ''}.pdf`
    saveFile(name, answer.bytes, 'application/pdf')
  }
}
