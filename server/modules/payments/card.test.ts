import { inspect } from 'node:util'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { Card } from './card.ts'

const NOW = Date.UTC(2026, 10, 16)
const GOOD = { number: '4242 4242 4242 4242', expiry: '11/26', cvc: '123' }

function faults(fields: Partial<typeof GOOD>, now = NOW): readonly string[] {
  const checked = new Card({ ...GOOD, ...fields }).check(now)
  return checked.ok ? [] : checked.problem.map(fault => fault.path)
}

describe('a card', () => {
  it.each([
    {},
    { number: '4242-4242-4242-4242' },
    { expiry: '1/27' },
    { expiry: '01 / 2027' },
    { number: '378282246310005', cvc: '1234' },
  ])('may be written like %o', fields => {
    expect(faults(fields)).toEqual([])
  })

  it.each([
    [{ number: '4242 4242 4242 4241' }, '/card/number'],
    [{ number: '42' }, '/card/number'],
    [{ number: '0'.repeat(20) }, '/card/number'],
    [{ number: '4242 4242 4242 424x' }, '/card/number'],
    [{ expiry: '13/28' }, '/card/expiry'],
    [{ expiry: '00/28' }, '/card/expiry'],
    [{ expiry: '10/26' }, '/card/expiry'],
    [{ expiry: 'soon' }, '/card/expiry'],
    [{ cvc: '12' }, '/card/cvc'],
    [{ cvc: '1234' }, '/card/cvc'],
    [{ cvc: '12a' }, '/card/cvc'],
    [{ number: '378282246310005', cvc: '123' }, '/card/cvc'],
  ])('is refused with %o: %s', (fields, path) => {
    expect(faults(fields)).toEqual([path])
  })

  it('has every fault named at once', () => {
    expect(faults({ number: '1', expiry: '', cvc: '' })).toEqual([
      '/card/number',
      '/card/expiry',
      '/card/cvc',
    ])
  })

  it('is good until its month is over everywhere', () => {
    expect(faults({}, Date.UTC(2026, 11, 1, 11, 59))).toEqual([])
    expect(faults({}, Date.UTC(2026, 11, 1, 12))).toEqual(['/card/expiry'])
  })

  it('shows nothing of itself, however it is printed', () => {
    const card = new Card({ ...GOOD, cvc: '987' })
    const lines: string[] = []
    // Clock and process may have the same digits.
    const log = pino({ timestamp: false, base: null }, { write: line => void lines.push(line) })
    log.info({ card, deep: { card } }, 'a card')
    log.error(new Error(`a card: ${card}`, { cause: card }))
    const printed = [
      ...lines,
      JSON.stringify({ card }),
      inspect({ card }, { depth: 9, showHidden: true }),
      `${card}`,
    ]
    for (const text of printed) expect(text).not.toMatch(/4242|987|11\/26/)
    expect(Object.values(structuredClone({ ...card }))).toEqual([])
  })
})
