import { expect, it } from 'vitest'
import { type Notice, noticeBusyMachine, noticeSlow } from './busy-machine.ts'

/** Collects the notices about a write that takes so long. */
async function noticedOf(ms: number): Promise<Parameters<Notice>[0][]> {
  const noticed: Parameters<Notice>[0][] = []
  let time = 1_000
  const write = async () => {
    time += ms
  }
  await noticeSlow(
    write,
    period => noticed.push(period),
    () => time,
  )
  return noticed
}

it('a disk that keeps a write waiting is noticed, with the time it took', async () => {
  expect(await noticedOf(201)).toEqual([{ from: 1_000, to: 1_201 }])
  expect(await noticedOf(200)).toEqual([])
})

it('ends when it is told to, and leaves no file open', async () => {
  await noticeBusyMachine(() => {})()
})
