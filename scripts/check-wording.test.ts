import { describe, expect, it } from 'vitest'
import { fragments, wordingFaults } from './check-wording.ts'

const faults = (text: string, path = 'core/event/rules/hold.ts') =>
  wordingFaults(path, text).map(({ line, fault }) => `${line}: ${fault}`)

describe('the wording check', () => {
  it.each([
    '// Whoever was quicker has put it in place.',
    '/** Nobody waits for it. */',
    'it("is in nobody’s way", () => {})',
    'help: "anybody may ask"',
    'Locks no one out.',
  ])('refuses a sentence that does not name its actor: %s', text => {
    expect(faults(text)).toEqual([expect.stringMatching(/^1: ".*" does not say who/)])
  })

  it.each(['// The reader starts anew.', '// A hold is not kept for ever.', 'running it in earnest'])(
    'refuses an archaic turn: %s',
    text => {
      expect(faults(text)).toEqual([expect.stringMatching(/is not plain English$/)])
    },
  )

  it('says on which line', () => {
    expect(faults('const a = 1\n\n// Somebody else has it.')).toEqual([
      expect.stringMatching(/^3: "Somebody"/),
    ])
  })

  it('takes words that only contain one of these', () => {
    expect(faults('// The same for every smallest seat, for everyone: nothing renewed.')).toEqual([])
  })

  it('takes comments as wide as the code, and no wider; code and documents have other rules', () => {
    const fits = `// ${'x'.repeat(107)}`
    expect(faults(fits)).toEqual([])
    expect(faults(`${fits}x`)).toEqual(['1: a comment of 111 columns: wrap it at 110'])
    expect(faults(` * ${'·'.repeat(108)}`)).toEqual(['1: a comment of 111 columns: wrap it at 110'])
    expect(faults(`const text = '${'x'.repeat(120)}'`)).toEqual([])
    expect(faults(`- ${'x'.repeat(120)}`, 'docs/operate/operating.md')).toEqual([])
  })

  it('knows the account that operating systems call nobody, only where Postgres runs as it', () => {
    expect(faults('Run as root, it runs as `nobody`.', 'docs/operate/operating.md')).toEqual([])
    expect(faults("name === 'nobody'", 'kit/postgres/embedded/run-as.ts')).toEqual([])
    expect(faults('// Then nobody starts it.', 'kit/postgres/embedded/run-as.ts')).toHaveLength(1)
    expect(faults("userId: 'nobody'")).toHaveLength(1)
  })
})

describe('comments that begin with a noun fragment', () => {
  it.each([
    '/** What the lane asks of the store. */',
    '/**\n * Whether the seat is free.\n * It may be held.\n */',
    'a\n  // Of a seat that is sold, its ticket.\n  b',
    '-- Who holds the seat.',
    '/** Where the lane\n * stands. */',
  ])('are counted: %s', text => {
    expect(fragments('engine/lane/lane.ts', text)).toHaveLength(1)
  })

  it.each([
    '// Nothing is asked\n// What the store says.',
    '/** Where there is no disk, nothing is written. */',
    '/** Who is meant? Name the buyer. */',
    '/** Returns what the store has. */',
    "const text = 'What now'",
  ])('are not these: %s', text => {
    expect(fragments('engine/lane/lane.ts', text)).toEqual([])
  })

  it('are none of a document', () => {
    expect(fragments('docs/scarcity.md', '-- Of seats')).toEqual([])
  })
})
