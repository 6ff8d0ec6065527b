import { expect, it } from 'vitest'
import { exportOrders } from './export-orders.ts'

/** A server with so many files of one order each. */
function serverOf(files: number) {
  const asked: unknown[] = []
  const bytes = async (_name: string, { query }: { query: { after?: string } }) => {
    asked.push(query)
    const file = Number(query.after ?? 0)
    const text = `order_number,email\r\nN-${file},"a ""b""\r\nc"\r\n`
    const headers = new Headers(file + 1 < files ? { 'voelgoed-next': String(file + 1) } : {})
    return { bytes: new TextEncoder().encode(text), headers }
  }
  return { asked, client: { bytes } as unknown as Parameters<typeof exportOrders>[0] }
}

it('joins the files of the server under one row of names', async () => {
  const { asked, client } = serverOf(3)
  const { text, orders, isWhole } = await exportOrders(client, { status: 'paid' })
  expect([orders, isWhole]).toEqual([3, true])
  expect(text.match(/order_number/g)).toHaveLength(1)
  expect(asked).toEqual([{ status: 'paid' }, { status: 'paid', after: '1' }, { status: 'paid', after: '2' }])
})

it('ends at its bound, and says so', async () => {
  const { orders, isWhole } = await exportOrders(serverOf(50).client, {})
  expect([orders, isWhole]).toEqual([10, false])
})
