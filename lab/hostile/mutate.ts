import type { Random } from '../random.ts'
import { RawJson } from './draft.ts'
import { ODD_KEYS, ODD_NUMBERS, ODD_RAW_TEXTS, ODD_TEXTS, ODD_TIMES, PROTOTYPE_KEYS } from './odd-values.ts'

type Container = Record<string, unknown> | unknown[]

interface Place {
  readonly holder: Container
  readonly key: string | number
}

/** Every place of a document, by the object or list that it is in. The document itself is one: at `''`. */
export class Tree {
  readonly #root: { '': unknown }

  constructor(document: unknown) {
    this.#root = { '': structuredClone(document) }
  }

  get document(): unknown {
    return this.#root['']
  }

  places(): Place[] {
    const found: Place[] = [{ holder: this.#root, key: '' }]
    for (let at = 0; at < found.length && found.length < 5_000; at += 1) {
      const value = read(found[at]!)
      if (typeof value !== 'object' || value === null || value instanceof RawJson) continue
      const keys = Array.isArray(value) ? value.keys() : Object.keys(value)
      for (const key of keys) found.push({ holder: value as Container, key })
    }
    return found
  }

  pick(random: Random, wanted: (value: unknown) => boolean = () => true): Place | null {
    const fitting = this.places().filter(place => wanted(read(place)))
    return fitting.length > 0 ? random.pick(fitting) : null
  }
}

export function read({ holder, key }: Place): unknown {
  return (holder as Record<string | number, unknown>)[key]
}

/** Own members only: `__proto__` becomes a member like any other. */
export function write({ holder, key }: Place, value: unknown): void {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true })
}

/** Something of another type than what is there. */
export function otherType(random: Random, value: unknown): unknown {
  const kinds = [null, true, false, 7, -1, 'text', [], {}, [null], [[]], { a: 1 }, [value], { value }]
  return random.pick(kinds.filter(kind => typeOf(kind) !== typeOf(value) || kind === value))
}

function typeOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
}

function oddValue(random: Random): unknown {
  const list = random.pick<readonly unknown[]>([ODD_NUMBERS, ODD_TEXTS, ODD_TEXTS, ODD_TIMES, ODD_RAW_TEXTS])
  return random.pick(list)
}

type Change = (random: Random, tree: Tree, place: Place) => void

const CHANGES: readonly Change[] = [
  (random, _tree, place) => write(place, otherType(random, read(place))),
  (random, _tree, place) => write(place, oddValue(random)),
  (random, _tree, place) => write(place, oddValue(random)),
  (random, _tree, place) => write(place, nearby(random, read(place))),
  (random, _tree, place) => write(place, nearby(random, read(place))),
  // Left out.
  (_random, _tree, { holder, key }) => {
    if (Array.isArray(holder)) holder.splice(Number(key), 1)
    else delete holder[key]
  },
  // Twice, or many times.
  (random, _tree, { holder, key }) => {
    if (!Array.isArray(holder)) return
    const copies = Array.from({ length: random.pick([1, 1, 2, 300]) }, () => holder[Number(key)])
    holder.splice(Number(key), 0, ...copies)
  },
  // Something of elsewhere in the document.
  (random, tree, place) => write(place, structuredClone(plain(read(tree.pick(random)!)))),
  // A member that the schema does not have.
  (random, tree) => {
    const target = tree.pick(random, isObject)
    if (!target) return
    const key = random.pick(random.pick([PROTOTYPE_KEYS, ODD_KEYS]))
    write(
      { holder: read(target) as Container, key },
      random.pick([oddValue(random), {}, { isAdmin: true }, null]),
    )
  },
]

/** One change at a random place. */
export function mutate(random: Random, tree: Tree): void {
  random.pick(CHANGES)(random, tree, tree.pick(random)!)
}

function nearby(random: Random, value: unknown): unknown {
  if (typeof value === 'number') {
    return random.pick([
      value + 1,
      -value,
      value * 1e6,
      value + 0.5,
      0,
      Number.MAX_SAFE_INTEGER,
      1e9,
      1e9 + 1,
    ])
  }
  if (typeof value === 'string') {
    return random.pick([
      value.toUpperCase(),
      `${value} `,
      value.slice(1),
      value + value,
      random.pick(ODD_TEXTS) + value,
    ])
  }
  if (typeof value === 'boolean') return !value
  return oddValue(random)
}

export function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof RawJson)
}

/** Raw pieces can't be cloned. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null))
}
