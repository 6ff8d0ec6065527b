import type { Client, Input } from '@voelgoed/client'
import { readCsv } from '@voelgoed/core/csv'

/** Files of the server that are joined into one, of 5,000 orders each. */
const MOST_FILES = 10

type Filter = NonNullable<Input<'GET /api/admin/orders.csv'>['query']>

/** The orders of a filter as one CSV text: files of the server one after the other, up to a bound. */
export async function exportOrders(
  client: Pick<Client, 'bytes'>,
  filter: Filter,
): Promise<{ readonly text: string; readonly orders: number; readonly isWhole: boolean }> {
  let text = ''
  let after: string | null = null
  for (let file = 0; file < MOST_FILES; file += 1) {
    const query: Filter = { ...filter, ...(after !== null && { after }) }
    const { bytes, headers } = await client.bytes('GET /api/admin/orders.csv', { query })
    const part = new TextDecoder().decode(bytes)
    // Each file has the names of the columns.
    text += text === '' ? part : part.slice(part.indexOf('\r\n') + 2)
    after = headers.get('voelgoed-next')
    if (after === null) break
  }
  const orders = readCsv(text, Number.POSITIVE_INFINITY).records.length - 1
  return { text, orders, isWhole: after === null }
}
