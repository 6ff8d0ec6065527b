import { StartupError } from '@voelgoed/kit/base/startup-error'
import { expect, it } from 'vitest'
import { Channel, type Message } from './channel.ts'

interface Sums {
  add(one: number, other: number): number
  fail(): void
  never(): Promise<string>
}

function twoEnds() {
  const told: Message[] = []
  const here: Channel<object, Sums> = new Channel(message => {
    told.push(message)
    there.heard(message)
  }, {})
  const there: Channel<Sums, object> = new Channel(message => here.heard(message), {
    add: (one, other) => one + other,
    fail: () => {
      throw new StartupError('there is no room')
    },
    never: () => new Promise(() => {}),
  })
  return { here, told }
}

it('gives each question its answer, and the words of the other end when it can not', async () => {
  const { here } = twoEnds()
  expect(await Promise.all([here.ask('add', 1, 2), here.ask('add', 3, 4)])).toEqual([3, 7])
  await expect(here.ask('fail')).rejects.toThrow('there is no room')
  expect(await here.askWithin(60_000, 'add', 5, 6)).toBe(11)
  expect(await here.askWithin(60_000, 'fail')).toBeNull()
})

it('gives up a question that has no answer in time, and all of them when the other end is gone', async () => {
  const { here, told } = twoEnds()
  expect(await here.askWithin(1, 'never')).toBeNull()
  const asked = here.ask('never')
  const bounded = here.askWithin(60_000, 'never')
  here.end(new Error('it ended'))
  await expect(asked).rejects.toThrow('it ended')
  expect(await bounded).toBeNull()
  const before = told.length
  await expect(here.ask('add', 1, 2)).rejects.toThrow('it ended')
  expect(told.length).toBe(before)
})
