import { createRequire } from 'node:module'

type Argon2 = typeof import('@node-rs/argon2')

// In tests the name of the library means this module (vitest.config.ts), so it is asked for by another way.
const argon2 = createRequire(import.meta.url)('@node-rs/argon2') as Argon2

/** The password of everyone that set-ups make. */
export const PASSWORD = 'a long enough password'

let remembered: Promise<string> | null = null
let settingUp = 0

/**
 * Meanwhile what argon2 makes of `PASSWORD` is remembered: it is slow on purpose, and the people of one
 * organization would take a third of a second of processor time. Tests themselves have argon2 as it is.
 */
export async function rememberingPassword<T>(work: () => Promise<T>): Promise<T> {
  settingUp += 1
  try {
    return await work()
  } finally {
    settingUp -= 1
  }
}

export const hash: Argon2['hash'] = (password, options) => {
  if (settingUp === 0 || password !== PASSWORD) return argon2.hash(password, options)
  remembered ??= argon2.hash(password, options)
  return remembered
}

export const verify: Argon2['verify'] = async (stored, password) => {
  if (settingUp > 0 && password === PASSWORD && stored === (await remembered)) return true
  return argon2.verify(stored, password)
}
