import type { Client, Data } from '@voelgoed/client'

type Ticket = Data<'GET /api/orders/:order'>['tickets'][number]

/** So many codes are asked for at the same time. */
const AT_ONCE = 4

/**
 * The QR codes of an order's valid tickets, as SVG, by ticket. `onCode` hears of each as it comes. A code
 * that does not come is left out.
 */
export async function loadTicketCodes(
  client: Client,
  tickets: readonly Ticket[],
  options: { secret: string | null; signal: AbortSignal; onCode(ticketId: string, svg: string): void },
): Promise<void> {
  const { secret, signal, onCode } = options
  const query = secret === null ? {} : { secret }
  const waiting = tickets.filter(({ status }) => status === 'valid')
  const work = async () => {
    for (let ticket = waiting.shift(); ticket && !signal.aborted; ticket = waiting.shift()) {
      const params = { ticket: ticket.ticket_id }
      const answer = await client
        .bytes('GET /api/tickets/:ticket/qr.svg', { params, query, signal })
        .catch(() => null)
      if (answer) onCode(ticket.ticket_id, new TextDecoder().decode(answer.bytes))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

/** An image may not run scripts, whatever is in it. */
export function imageOf(svg: string): string {
  return `data:image/svg+xml,${encodeURIComponent(svg)}`
}

/** Gives the browser a file to save. */
export function saveFile(bytes: Uint8Array<ArrayBuffer>, type: string, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([bytes], { type }))
  link.download = name
  link.click()
  // The browser has taken it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
