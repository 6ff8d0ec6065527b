import { readFileSync } from 'node:fs'
import { problemKinds } from '@voelgoed/contract/problems'
import { describe, expect, it } from 'vitest'
import { refusalsAf } from '../../console/kit/words/refusals-af.ts'
import { refusalsEn } from '../../console/kit/words/refusals-en.ts'
import { af } from './af.ts'
import { en } from './en.ts'
import { clockFace, createFormat } from './format.ts'

const english = en(createFormat('en-ZA'))
const afrikaans = af(createFormat('af-ZA'))
/** As the console says them. */
const refusals = {
  en: { ...english.refusals, ...refusalsEn },
  af: { ...afrikaans.refusals, ...refusalsAf },
}
const codes = Object.keys(problemKinds) as (keyof typeof problemKinds)[]

describe('every refusal of the contract', () => {
  it.each(codes)('%s has a sentence in both languages that says something and then what to do', code => {
    const { status, title, detail, retryable } = problemKinds[code]
    const bare = { code, status, title, detail, retryable }
    const full = { ...bare, limit: 4, available: 3, expires_in: 90, sale_start: null, retry_after: 5 }
    for (const problem of [bare, full]) {
      const sentences = [refusals.en[code](problem), refusals.af[code](problem)]
      expect(new Set(sentences).size).toBe(2)
      const buyers = [english.refusals[code](problem), afrikaans.refusals[code](problem)]
      for (const sentence of [...sentences, ...buyers]) {
        expect(sentence).toMatch(/^\p{Lu}.{15,}\.$/u)
        // Nothing of the machine shows through.
        expect(sentence).not.toMatch(/undefined|NaN|\[object|_/)
      }
    }
  })
})

it('no word is left in the other language', () => {
  const texts = (value: unknown): string[] => {
    if (typeof value === 'string') return [value]
    if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(texts)
    return []
  }
  const there = new Set(texts(english))
  // Words that are the same in both.
  const shared = ['Live', 'VoelgoedEvents']
  expect(texts(afrikaans).filter(text => there.has(text) && !shared.includes(text))).toEqual([])
})

it('names the seats of a row in the number that they have', () => {
  expect(english.panel.rowSeats('A', '5')).toBe('Row A, seat 5')
  expect(english.panel.rowSeats('A', '5, 6')).toBe('Row A, seats 5, 6')
  expect(afrikaans.panel.rowSeats('D', '22')).toBe('Ry D, sitplek 22')
  expect(afrikaans.panel.rowSeats('D', '21–24')).toBe('Ry D, sitplekke 21–24')
})

it('“e-pos” never breaks across lines', () => {
  for (const file of ['af.ts', 'checkout-af.ts'])
    expect(readFileSync(new URL(file, import.meta.url), 'utf8')).not.toMatch(/e-pos/i)
})

it('counts and times are written as in the language', () => {
  expect(english.seats(1)).toBe('1 seat')
  expect(afrikaans.seats(2)).toBe('2 sitplekke')
  expect(afrikaans.storefront.left(1_198, 1_200)).toMatch(/^1\s198 van 1\s200 oor$/)
  expect(clockFace(65)).toBe('1:05')
  expect(clockFace(3_725)).toBe('1:02:05')
})
