import { hash } from '@node-rs/argon2'
import { expect, it } from 'vitest'
import { Passwords } from './passwords.ts'

it('verifies what it hashed, with argon2id', async () => {
  const passwords = new Passwords({ atOnce: 1, waiting: 10 })
  const stored = await passwords.hash('correct horse')
  expect(stored).toMatch(/^\$argon2id\$/)
  expect(await passwords.verify(stored, 'correct horse')).toBe(true)
  expect(await passwords.verify(stored, 'wrong horse')).toBe(false)
})

it('is false for nobody, after real work', async () => {
  const passwords = new Passwords({ atOnce: 1, waiting: 10 })
  const stored = await hash('x', { memoryCost: 19_456, timeCost: 2, parallelism: 1 })
  const took = async (storedHash: string | null) => {
    const start = performance.now()
    expect(await passwords.verify(storedHash, 'y')).toBe(false)
    return performance.now() - start
  }
  await took(stored)
  // A hash that can't be parsed would be refused in no time: that is what this guards against.
  expect(await took(null)).toBeGreaterThan((await took(stored)) / 5)
})

it('refuses when too many wait', async () => {
  const passwords = new Passwords({ atOnce: 1, waiting: 1 })
  const results = await Promise.all([1, 2, 3].map(() => passwords.hash('x')))
  expect(results.filter(result => result === null)).toHaveLength(1)
})
