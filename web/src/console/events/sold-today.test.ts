import { expect, it } from 'vitest'
import { soldAtMidnight } from './sold-today.ts'

const signal = new AbortController().signal
type Session = Parameters<typeof soldAtMidnight>[0]
/** A server that has these snapshots, and says what it was asked for. */
const sessionWith = (points: readonly { readonly sold: number }[]) => {
  const asked: { from: string; to: string }[] = []
  const call = async (_: string, { query }: { query: { from: string; to: string } }) => {
    asked.push(query)
    return { data: { points } }
  }
  return { asked, session: { call } as unknown as Session }
}

it('what was sold when the day began is the last that was written down on the day before', async () => {
  const { asked, session } = sessionWith([{ sold: 3 }, { sold: 8 }])
  expect(await soldAtMidnight(session, 'e1', signal)).toBe(8)
  const begun = new Date(asked[0]!.to)
  expect([begun.getHours(), begun.getMinutes()]).toEqual([0, 0])
  expect(Date.parse(asked[0]!.to) - Date.parse(asked[0]!.from)).toBe(86_400_000)
})

it('an event that was not on sale then had sold nothing', async () => {
  expect(await soldAtMidnight(sessionWith([]).session, 'e1', signal)).toBe(0)
})
