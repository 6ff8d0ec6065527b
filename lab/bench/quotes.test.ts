import { describe, expect, it } from 'vitest'
import { fillIn } from './quotes.ts'

describe('figures in a document', () => {
  const text = 'a <!-- bench:one.figure -->1 s<!-- /bench --> b <!-- bench:other -->\nold\n<!-- /bench --> c'

  it('are replaced where they are quoted, and nowhere else', () => {
    const once = fillIn(text, { 'one.figure': '2 s', unknown: 'x' })
    expect(once).toBe(
      'a <!-- bench:one.figure -->2 s<!-- /bench --> b <!-- bench:other -->\nold\n<!-- /bench --> c',
    )
    expect(fillIn(once, { 'one.figure': '2 s' })).toBe(once)
  })

  it('stand on lines of their own when they are several', () => {
    const block = '```text\n$1 $& table\n```'
    expect(fillIn(text, { other: block })).toContain(`<!-- bench:other -->\n${block}\n<!-- /bench -->`)
  })
})
