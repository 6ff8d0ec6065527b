import { expect, test } from 'vitest'
import { Fifo } from './fifo.ts'

test('what went in first comes out first, however long the line was', () => {
  const line = new Fifo<number>()
  const out: (number | undefined)[] = []
  for (let i = 0; i < 300; i++) line.push(i)
  for (let i = 300; i < 600; i++) {
    out.push(line.first)
    line.shift()
    if (i % 2 === 0) line.push(i)
  }
  expect(out).toEqual(Array.from({ length: 300 }, (_, i) => i))
  expect(line.first).toBe(300)
})
