import { describe, expect, it } from 'vitest'
import { keyFor, readAmount, readPercent, writeAmount } from './amounts.ts'

describe('amounts as people type them', () => {
  it('are minor units of the currency', () => {
    expect(readAmount('450', 'ZAR')).toBe(45_000)
    expect(readAmount('1 250,5', 'ZAR')).toBe(125_050)
    expect(readAmount('0', 'ZAR')).toBe(0)
    expect(readAmount('1200', 'JPY')).toBe(1_200)
    expect(readAmount('1.255', 'KWD')).toBe(1_255)
  })

  it('are none when they are finer than the currency, negative, no number, or beyond all prices', () => {
    for (const text of ['', '4.505', '-1', 'free', '1e3', '999999999999']) {
      expect(readAmount(text, 'ZAR'), text).toBeNull()
    }
    expect(readAmount('1.5', 'JPY')).toBeNull()
  })

  it('come back as they were', () => {
    for (const amount of [0, 45_000, 125_050, 1]) {
      expect(readAmount(writeAmount(amount, 'ZAR'), 'ZAR')).toBe(amount)
    }
  })

  it('percentages have three decimals at most', () => {
    expect(readPercent('15')).toBe(15)
    expect(readPercent('8,875')).toBe(8.875)
    for (const text of ['', '101', '1.2345', 'x']) expect(readPercent(text), text).toBeNull()
  })
})

describe('keys of categories and ticket types', () => {
  it('are made of the name, each once', () => {
    expect(keyFor('Early bird', new Set())).toBe('early-bird')
    expect(keyFor('Beskermhere é', new Set())).toBe('beskermhere-e')
    expect(keyFor('Adult', new Set(['adult', 'adult-2']))).toBe('adult-3')
    expect(keyFor('…', new Set())).toBe('type')
  })
})
