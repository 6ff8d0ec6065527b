import { verify } from '@node-rs/argon2'
import { expect, it } from 'vitest'
import { HASH_WITHOUT_PASSWORD, Passwords } from './passwords.ts'

it('verifies what it hashed, with argon2id', async () => {
  const passwords = new Passwords({ atOnce: 1, waiting: 10 })
  const stored = await passwords.hash('correct horse')
  expect(stored).toMatch(/^\$argon2id\$/)
  expect(await passwords.verify(stored, 'correct horse')).toBe(true)
  expect(await passwords.verify(stored, 'wrong horse')).toBe(false)
})

it('is false for an unknown user, after the same work as for a known one', async () => {
  const passwords = new Passwords({ atOnce: 1, waiting: 10 })
  const stored = await passwords.hash('correct horse')
  // Kind, version and cost. The rest is salt and hash.
  const shape = (encoded: string) => encoded.split('$').map((part, i) => (i < 4 ? part : part.length))
  expect(shape(HASH_WITHOUT_PASSWORD)).toEqual(shape(stored!))
  // One that can't be read would be refused in no time: this would throw.
  expect(await verify(HASH_WITHOUT_PASSWORD, 'correct horse')).toBe(false)
  expect(await passwords.verify(null, 'correct horse')).toBe(false)
})

it('refuses when too many wait', async () => {
  const passwords = new Passwords({ atOnce: 1, waiting: 1 })
  const results = await Promise.all([1, 2, 3].map(() => passwords.hash('x')))
  expect(results.filter(result => result === null)).toHaveLength(1)
})
