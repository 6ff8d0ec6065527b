import { Refused } from '@voelgoed/client'
import { expect, it } from 'vitest'
import { PagedList } from './paged-list.ts'

interface Page {
  readonly data: readonly string[]
  readonly next: string | null
}

/** A server whose answers come when the test says so, also to those who wait no more. */
function slowServer() {
  const waiting = new Map<string, { give(page: Page): void; refuse(error: unknown): void }>()
  return {
    read:
      (filter: string) =>
      ({ after = 'first' }: { readonly after?: string }) =>
        new Promise<Page>((give, refuse) => waiting.set(`${filter} ${after}`, { give, refuse })),
    async answer(question: string, data: readonly string[], next: string | null = null) {
      const asked = waiting.get(question)
      if (!asked) throw new Error(`the list did not ask for ${question}`)
      waiting.delete(question)
      asked.give({ data, next })
      await settled()
    },
    async refuse(question: string, error: unknown) {
      waiting.get(question)!.refuse(error)
      waiting.delete(question)
      await settled()
    },
    asked: () => [...waiting.keys()],
  }
}

/** All promises that are kept have been heard. */
const settled = () => new Promise(resolve => setImmediate(resolve))

const forbidden = () =>
  new Refused({ title: 'no', status: 403, code: 'forbidden', detail: 'no', retryable: false }, null)

async function opened() {
  const server = slowServer()
  const list = new PagedList<string>()
  const close = list.open(server.read('all'))
  await server.answer('all first', ['a1', 'a2'], 'a2')
  return { server, list, close }
}

it('adds pages until there are no more', async () => {
  const { server, list } = await opened()
  expect([list.rows, list.hasMore, list.isBusy]).toEqual([['a1', 'a2'], true, false])
  void list.more()
  expect(list.isBusy).toBe(true)
  void list.more()
  expect(server.asked()).toEqual(['all a2'])
  await server.answer('all a2', ['a3'])
  expect([list.rows, list.hasMore, list.isBusy]).toEqual([['a1', 'a2', 'a3'], false, false])
})

it('a page that comes after the filter has changed is not added, whichever answer is last', async () => {
  const { server, list } = await opened()
  void list.more()
  list.open(server.read('paid'))
  await server.answer('paid first', ['p1'], 'p1')
  await server.answer('all a2', ['a3'], 'a3')
  expect([list.rows, list.hasMore, list.isBusy]).toEqual([['p1'], true, false])

  void list.more()
  list.open(server.read('void'))
  await server.answer('paid p1', ['p2'], null)
  expect([list.rows, list.isBusy]).toEqual([['p1'], true])
  await server.answer('void first', ['v1'])
  expect([list.rows, list.hasMore]).toEqual([['v1'], false])
})

it('no more is asked for while the list of a new filter is on its way', async () => {
  const { server, list } = await opened()
  list.open(server.read('paid'))
  await list.more()
  expect(server.asked()).toEqual(['paid first'])
})

it('reads as many rows again as are shown, none of them twice', async () => {
  const { server, list } = await opened()
  void list.more()
  await server.answer('all a2', ['a3', 'a4'], 'a4')
  list.again()
  await server.answer('all first', ['a0', 'a1'], 'a1')
  expect(list.rows).toEqual(['a1', 'a2', 'a3', 'a4'])
  await server.answer('all a1', ['a2', 'a3'], 'a3')
  expect([list.rows, list.hasMore]).toEqual([['a0', 'a1', 'a2', 'a3'], true])
})

it('keeps what is shown when the next page fails, and says so; a filter that is refused shows nothing', async () => {
  const { server, list } = await opened()
  const more = list.more()
  const failed = expect(more).rejects.toThrow('away')
  await server.refuse('all a2', new Error('away'))
  await failed
  expect([list.rows, list.hasMore, list.isBusy]).toEqual([['a1', 'a2'], true, false])
  list.open(server.read('bad'))
  await server.refuse('bad first', forbidden())
  expect([list.rows, list.hasMore, list.refused?.code]).toEqual([null, false, 'forbidden'])
  list.open(server.read('all'))
  await server.answer('all first', ['a1'])
  expect([list.rows, list.refused]).toEqual([['a1'], null])
})

it('hears nothing more when its screen is closed', async () => {
  const { server, list, close } = await opened()
  const more = list.more()
  close()
  await server.refuse('all a2', new Error('away'))
  await more
  expect(list.rows).toEqual(['a1', 'a2'])
})
