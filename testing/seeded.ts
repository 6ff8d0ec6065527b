import { randomNumbers } from '@voelgoed/core/layout/generate/random-numbers'

/** Chances that follow from a seed, which is printed: `VOELGOED_SEED` plays the same ones again. */
export interface Seeded {
  readonly seed: number
  /** A whole number from 0 up to but not including `bound`. */
  below(bound: number): number
  pick<T>(list: readonly T[]): T
  shuffled<T>(list: readonly T[]): T[]
}

export function seeded(what: string, salt = 0): Seeded {
  const seed = Number(process.env.VOELGOED_SEED ?? Math.floor(Math.random() * 2 ** 31)) + salt
  console.log(`${what}: seed ${seed}`)
  const next = randomNumbers(seed)
  // The first numbers of a small seed are small as well.
  for (let i = 0; i < 8; i += 1) next()
  const below = (bound: number) => Math.floor(next() * bound)
  return {
    seed,
    below,
    pick: list => list[below(list.length)]!,
    shuffled(list) {
      const result = [...list]
      for (let i = result.length - 1; i > 0; i -= 1) {
        const j = below(i + 1)
        ;[result[i], result[j]] = [result[j]!, result[i]!]
      }
      return result
    },
  }
}

/** A number from the environment, for longer runs than the suite's. */
export function setting(name: string, standard: number): number {
  return Number(process.env[name] ?? standard)
}
