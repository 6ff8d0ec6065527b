import { expect, it } from 'vitest'
import { type PartDone, runInParts } from './run-in-parts.ts'

const items = Array.from({ length: 25 }, (_, index) => index)

function collect() {
  const parts: PartDone[] = []
  return { parts, isToStop: () => false, onPart: (part: PartDone) => void parts.push(part) }
}

it('works part by part, and tells what was done and what was skipped', async () => {
  const told = collect()
  const work = async (part: readonly number[]) => ({
    done: part.length - 1,
    skipped: [{ name: `seat ${part[0]}`, why: 'sold' }],
  })
  expect(await runInParts(items, 10, work, told)).toEqual({ state: 'done' })
  expect(told.parts.map(({ done }) => done)).toEqual([9, 9, 4])
  expect(told.parts.flatMap(({ skipped }) => skipped.map(({ name }) => name))).toEqual([
    'seat 0',
    'seat 10',
    'seat 20',
  ])
})

it('stops after the part that runs, and what was done stays done', async () => {
  const told = collect()
  const isToStop = () => told.parts.length > 0
  const work = async (part: readonly number[]) => ({ done: part.length, skipped: [] })
  expect(await runInParts(items, 10, work, { ...told, isToStop })).toEqual({ state: 'stopped' })
  expect(told.parts.map(({ done }) => done)).toEqual([10])
})

it('ends when a part fails, and says by what', async () => {
  const told = collect()
  const error = new Error('no answer')
  const work = async (part: readonly number[]) => {
    if (part[0] === 10) throw error
    return { done: part.length, skipped: [] }
  }
  expect(await runInParts(items, 10, work, told)).toEqual({ state: 'failed', error })
  expect(told.parts.map(({ done }) => done)).toEqual([10])
})
