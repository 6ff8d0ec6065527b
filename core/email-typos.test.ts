import { expect, it } from 'vitest'
import { isHalfTyped, meantEmail } from './email-typos.ts'

it.each([
  ['thandi@gmial.com', 'thandi@gmail.com'],
  ['Thandi.M@GMIAL.com ', 'Thandi.M@gmail.com'],
  ['thandi@gmail', 'thandi@gmail.com'],
  ['thandi@gmial', 'thandi@gmail.com'],
  ['thandi@gmial.con', 'thandi@gmail.com'],
  ['thandi@gmail.con', 'thandi@gmail.com'],
  ['thandi@theatre.con', 'thandi@theatre.com'],
  ['piet@plaas.co.z', 'piet@plaas.co.za'],
  ['piet@plaas.coza', 'piet@plaas.co.za'],
  ['piet@hotmial.com', 'piet@hotmail.com'],
  ['piet@yahoo.co.za', null],
  ['piet@ymail.com', null],
  ['piet@gmail.com', null],
  ['piet@theatre.co', null],
  ['piet@con.example', null],
  ['@gmial.com', null],
  ['gmial.com', null],
  ['', null],
])('%j was meant as %j', (typed, meant) => {
  expect(meantEmail(typed)).toBe(meant)
})

it('does not ask before a domain is typed to its end', () => {
  expect(['a@gmail', 'a@gmail.co', 'a@hotmail'].map(isHalfTyped)).toEqual([true, true, true])
  expect(['a@gmial.com', 'a@gmail.com', 'a@gmail.con'].map(isHalfTyped)).toEqual([false, false, false])
})
