import { expect, it } from 'vitest'
import { salutation } from './salutation.ts'

it('a buyer is greeted by a name of one line, and by no address of a page', () => {
  expect(salutation('Ann <b>', 100)).toBe('Ann <b>')
  expect(salutation('J.P. du Toit', null)).toBe('J.P. du Toit')
  expect(salutation('Piet\r\nBotha', 100)).toBe('Piet Botha')
  for (const name of [
    'http://evil.test/login sign in',
    'go to evil.test now',
    'www.evil.test',
    'a@evil.test',
    ' ',
  ]) {
    expect(salutation(name, 100), name).toBe(null)
  }
  expect(salutation('x'.repeat(61), 100)).toBe(null)
})

it('where nothing was paid, by no name', () => {
  expect(salutation('Ann', 0)).toBe(null)
  expect(salutation(null, 100)).toBe(null)
})
